import { tmpdir } from "node:os"
import { join } from "node:path"

/** The environment that npm and other programs need, without settings of the server. */
export const surroundings = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = ""]) =>
      /^(path|home|lang|tmpdir|npm_config_.*|.*_proxy|node_extra_ca_certs|ssl_cert_.*)$/i.test(name)
        ? [[name, value]]
        : []
    )
  )

/** Compiled code is shared between the processes that tests start, which makes each start a third faster. */
export const compileCache = {
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "edp-compile-cache")
}
