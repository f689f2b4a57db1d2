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

/** A process that answers one request after another, each a JSON value, over Node's own channel. */
export interface Worker<Request, Answer> {
  readonly ask: (request: Request) => Promise<Answer>
  readonly stop: () => Promise<void>
}

export const startWorker = <Request extends object, Answer>(
  url: URL,
  env: Readonly<Record<string, string>> = {}
): Worker<Request, Answer> => {
  const child = fork(fileURLToPath(url), { env: environment(env), execArgv })
  const exited = once(child, "exit")
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${url.pathname} ended before it answered`))
        child.once("exit", ended)
        child.once("message", (message: { readonly answer: Answer } | { readonly error: string }) => {
          child.off("exit", ended)
          if ("error" in message) reject(new Error(message.error))
          else resolve(message.answer)
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
export const answerRequests = <Request, Answer>(answer: (request: Request) => Promise<Answer>): void => {
  process.on("message", (request: Request) => {
    answer(request).then(
      (value) => process.send!({ answer: value }),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.stack : String(error) })
    )
  })
}
