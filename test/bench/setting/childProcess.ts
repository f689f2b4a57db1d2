import { fork, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** The environment of every process of a benchmark: nothing of the developer's own settings. */
const environment = (env: Readonly<Record<string, string>>) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  NODE_ENV: "production",
  ...env
})

const execArgv = ["--conditions=@edp/source"]

export interface Started {
  readonly pid: number
  /** performance.now() of the moment before the process was started. */
  readonly startedAt: number
  readonly running: () => boolean
  readonly stop: () => Promise<void>
}

/** Runs a program of Node as a process of its own, its output thrown away as that of a service under load should be. */
export const startNode = (
  path: string,
  env: Readonly<Record<string, string>>,
  flags: ReadonlyArray<string> = []
): Started => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, ...execArgv, path], {
    env: environment(env),
    stdio: ["ignore", "ignore", "inherit"]
  })
  const exited = once(child, "exit")
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  return {
    pid: child.pid!,
    startedAt,
    running: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill("SIGTERM")
      await exited
      process.off("exit", kill)
    }
  }
}

/** A process that responds to one request after another, each a JSON value, over Node's own channel. */
export interface Worker<Request, Reply> {
  readonly ask: (request: Request) => Promise<Reply>
  readonly stop: () => Promise<void>
}

export const startWorker = <Request extends object, Reply>(
  url: URL,
  env: Readonly<Record<string, string>> = {}
): Worker<Request, Reply> => {
  const child = fork(fileURLToPath(url), { env: environment(env), execArgv })
  const exited = once(child, "exit")
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${url.pathname} ended before it answered`))
        child.once("exit", ended)
        child.once("message", (message: { readonly response: Reply } | { readonly error: string }) => {
          child.off("exit", ended)
          if ("error" in message) reject(new Error(message.error))
          else resolve(message.response)
        })
        child.send(request)
      }),
    stop: async () => {
      child.kill("SIGTERM")
      await exited
      process.off("exit", kill)
    }
  }
}

/** The other side of `startWorker`. */
export const serveRequests = <Request, Reply>(respond: (request: Request) => Promise<Reply>): void => {
  process.on("message", (request: Request) => {
    respond(request).then(
      (value) => process.send!({ response: value }),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.stack : String(error) })
    )
  })
}
