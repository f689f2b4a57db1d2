import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where the processes that tests start keep what the engine made of their sources: each starts a third sooner. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), "edp-compile-cache") }
