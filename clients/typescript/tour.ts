// A tour of the API with a client that is generated from its description:
//
//   npx openapi-typescript docs/openapi.json --default-non-nullable=false --output schema.d.ts
//
// (Without the flag, members that have a default would have to be sent.)
// A test makes schema.d.ts, compiles this file in strict mode, and runs it against a service.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const { VERBLESS_URL: baseUrl, VERBLESS_TOKEN: token } = process.env;
assert(baseUrl && token, "set VERBLESS_URL and VERBLESS_TOKEN");

const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

// Articles: create, read, change, list page by page.
async function articles(): Promise<void> {
  const created = await api.POST("/articles", { body: { title: "Typed", tags: ["tour"] } });
  assert.equal(created.response.status, 201);
  assert(created.data);
  const id: string = created.data.id;
  const etag = created.response.headers.get("ETag");
  assert(etag);

  const read = await api.GET("/articles/{article}", { params: { path: { article: id } } });
  assert.equal(read.data?.title, "Typed");
  assert.equal(read.data?.slug, "typed");

  const changed = await api.PATCH("/articles/{article}", {
    params: { path: { article: id }, header: { "If-Match": etag } },
    body: { status: "archived" },
  });
  assert.equal(changed.data?.status, "archived");

  // @ts-expect-error: there is no such status, and the compiler knows it
  await api.PATCH("/articles/{article}", { params: { path: { article: id } }, body: { status: "lost" } });

  for (let i = 1; i < 5; i++) {
    await api.POST("/articles", { body: { title: `Typed ${i}`, tags: ["tour"] } });
  }
  const titles: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 10; page++) {
    const list = await api.GET("/articles", {
      params: { query: { tags: "tour", limit: 2, sort: "title", ...(cursor === undefined ? {} : { cursor }) } },
    });
    assert(list.data);
    titles.push(...list.data.articles.map((a) => a.title));
    if (list.data.links.next === undefined) break;
    cursor = new URL(list.data.links.next).searchParams.get("cursor") ?? undefined;
  }
  assert.deepEqual(titles, ["Typed", "Typed 1", "Typed 2", "Typed 3", "Typed 4"]);
}

// Invoices: a document with data, links and schema.
async function invoices(): Promise<void> {
  const created = await api.POST("/invoices", {
    body: { data: { attributes: { amount: 12.5, currency: "EUR", description: "A tour" } } },
  });
  assert(created.data);
  const { data, links }: components["schemas"]["invoice"] = created.data;
  assert.equal(data.type, "invoice");
  assert.equal(data.attributes.amount, 12.5);
  assert.equal(links.pay, undefined);

  const params = { path: { invoice: data.id } };
  const published = await api.PATCH("/invoices/{invoice}", { params, body: { data: { attributes: { status: "published" } } } });
  assert.equal(published.data?.data.attributes.status, "published");
  assert.equal(published.data?.links.pay?.meta.method, "POST");

  const options = await api.OPTIONS("/invoices/{invoice}", { params });
  assert.deepEqual(options.data?.may_become?.["status"], ["draft", "paid"]);

  const refused = await api.PATCH("/invoices/{invoice}", { params, body: { data: { attributes: { status: "failed" } } } });
  assert.equal(refused.response.status, 409);
  assert.equal(refused.error?.code, "transition_refused");
}

// Problems: an error is a problem, and its code is one of those that the operation can answer with.
async function problems(): Promise<void> {
  const missing = await api.GET("/articles/{article}", { params: { path: { article: "nowhere" } } });
  assert.equal(missing.data, undefined);
  const problem: components["schemas"]["problem"] | undefined = missing.error;
  assert(problem);
  assert.equal(problem.code, "not_found");
  assert.equal(problem.status, 404);
  // @ts-expect-error: reading an article is never refused because an invoice is kept
  assert.notEqual(missing.error?.code, "invoice_kept" satisfies NonNullable<typeof missing.error>["code"]);

  // @ts-expect-error: a title is needed
  const invalid = await api.POST("/articles", { body: { body: "no title" } });
  assert.equal(invalid.error?.code, "validation_failed");
  assert.equal(invalid.error?.errors?.[0]?.pointer, "/title");
}

await articles();
await invoices();
await problems();
console.log("done");
