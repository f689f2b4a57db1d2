import { tmpdir } from "node:os"
import { join } from "node:path"

/** What npm and other programs need to know of this machine, and no setting of the server. */
export const surroundings = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = ""]) =>
      /^(path|home|lang|tmpdir|npm_config_.*|.*_proxy|node_extra_ca_certs|ssl_cert_.*)$/i.test(name)
        ? [[name, value]]
        : []
    )
  )

/** Where the processes that tests start keep what the engine made of their sources: each starts a third sooner. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), "edp-compile-cache") }
