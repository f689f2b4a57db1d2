/**
 * Makes a new database in the folder given as the only argument. It runs as a process of its own, because the memory
 * that this takes, some 400 MB, is never given back to the system by the process that needed it.
 */
import { PGlite } from "@electric-sql/pglite"

// Standard input ends with the server that wants the folder; without it nobody would ever use what is made here.
process.stdin.once("end", () => process.exit(1)).resume()

const db = await PGlite.create({ dataDir: process.argv[2]! })
await db.close()
process.exit(0)
