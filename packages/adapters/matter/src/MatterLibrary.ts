import type * as Main from "@matter/main"
import type * as Node from "@matter/main/node"
import type * as Protocol from "@matter/main/protocol"
import type * as Types from "@matter/main/types"

/** The modules of matter.js that the adapter uses. */
export interface MatterLibrary {
  readonly main: typeof Main
  readonly node: typeof Node
  readonly protocol: typeof Protocol
  readonly types: typeof Types
}

/**
 * The library would read the variables and arguments of the process, keep files in the home folder, handle signals and stray errors and
 * write to the console. All of this is the service's.
 */
const load = async (): Promise<MatterLibrary> => {
  const { config } = await import("@matter/nodejs/config")
  config.loadProcessArgv = false
  config.loadProcessEnv = false
  config.loadConfigFile = false
  config.initializeStorage = false
  config.installFilesystem = false
  config.trapProcessSignals = false
  config.trapUnhandledErrors = false
  config.setProcessExitCodeOnError = false
  const main = await import("@matter/main")
  for (const destination of Object.values(main.Logger.destinations)) destination.write = () => undefined
  return {
    main,
    node: await import("@matter/main/node"),
    protocol: await import("@matter/main/protocol"),
    types: await import("@matter/main/types")
  }
}

let library: Promise<MatterLibrary> | undefined

/** Loads the library on its first use: it takes seconds and 150 MB of memory, also where no account is linked. */
export const loadLibrary = (): Promise<MatterLibrary> => (library ??= load())
