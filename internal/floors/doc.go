// Package floors holds no code: its test keeps the shape of the tree. A package imports only packages of lower
// floors, files and packages stay small, nothing runs at init, and money never becomes a float.
//
// The table of floors is in the test. A new package gets its line there first; that is the moment to think about
// where it belongs. Test files are free, and so are programs outside internal and cmd.
package floors
