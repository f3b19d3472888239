// Sends files with Google's clients for Node. Each line of the input is a job, each line of the output what came of one.
'use strict';

const fs = require('node:fs');
const readline = require('node:readline');
const {pipeline} = require('node:stream/promises');

const {IdempotencyStrategy, Storage} = require('@google-cloud/storage');
const {youtube} = require('@googleapis/youtube');

// storage sends a file as a resumable upload. When the client gives up, the application goes on with the address that the client
// made known, up to job.tries times. It then sends the rest in one request: in chunks, this client would wait for ever when the
// answer to the first is that all is here.
async function storage(job) {
  const client = new Storage({
    apiEndpoint: job.url,
    projectId: 'none',
    retryOptions: {idempotencyStrategy: IdempotencyStrategy.RetryAlways, maxRetries: 5, maxRetryDelay: 1},
  });
  // This client sends no token to addresses other than Google's; what it adds to each request is for the application to say.
  client.interceptors.push({
    request: options => ({...options, headers: {...options.headers, Authorization: 'Bearer ' + job.token, ...job.headers}}),
  });
  let uri;
  for (let tries = 1; ; tries++) {
    const target = client.bucket('bucket').file('noise.png').createWriteStream({
      resumable: true,
      validation: false, // it wants to read the checksum where Google's answer has it
      chunkSize: (tries === 1 && job.chunkSize) || undefined,
      uri,
      metadata: {contentType: 'image/png', ...(job.length ? {contentLength: job.length} : {})},
    });
    target.on('uri', address => (uri = address));
    if (job.abortAfter) {
      target.on('progress', event => event.bytesWritten >= job.abortAfter && target.destroy(new Error('aborted')));
    }
    try {
      await pipeline(fs.createReadStream(job.file), target);
      return {tries};
    } catch (error) {
      if (tries >= job.tries || !uri) {
        return {tries, error: String(error.message), code: Number(error.code) || 0};
      }
    }
  }
}

// video sends a file and what is said of it in one request.
async function video(job) {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await youtube('v3').videos.insert(
        {
          part: ['snippet', 'status'],
          requestBody: {snippet: {title: job.title}},
          media: {mimeType: 'image/png', body: fs.createReadStream(job.file)},
        },
        {rootUrl: job.url + '/', headers: {Authorization: 'Bearer ' + job.token, ...job.headers}}
      );
      return {tries, id: answer.data.id, title: answer.data.snippet.title};
    } catch (error) {
      if (tries >= job.tries) {
        return {tries, error: String(error.message), code: Number(error.status) || 0};
      }
    }
  }
}

const clients = {storage, video};

readline.createInterface({input: process.stdin}).on('line', async line => {
  const job = JSON.parse(line);
  const result = await clients[job.client](job).catch(error => ({error: String(error.stack)}));
  process.stdout.write(JSON.stringify({...result, job: job.job}) + '\n');
});

// The client for storage, after it has failed, may throw once more where nobody can catch it. The other jobs go on.
process.on('uncaughtException', error => console.error('worker.js: ' + error.stack));
