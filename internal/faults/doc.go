// Package faults holds no code: its tests run the real binary as a process of its own and hurt it. They kill it under
// load, fill its disk, fail its fsync, take its database away, and talk to it as broken clients do.
//
// Each test keeps a ledger of what the service acknowledged, and compares it afterwards with what is there, over HTTP
// and by plain SQL. The checkers themselves are tested against servers that lie.
//
// VERBLESS_SOAK=1 runs the same assertions for longer. What a machine cannot do, such as mounting a small disk without
// being root, is skipped loudly.
package faults
