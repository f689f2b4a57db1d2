import { execFileSync } from "node:child_process"
import { describeServer } from "../describeServer.ts"
import { freePort } from "../freePort.ts"
import { guardedFolder } from "../guardedFolder.ts"
import { launch } from "../launch.ts"

export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Ends the server at once, as an outage does. */
  readonly stop: () => Promise<void>
  /** Starts it again on the same port, empty. */
  readonly start: () => Promise<void>
  /** Keeps its connections but stops answering, as a hanging machine does. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Ends the server for good and removes its folder. */
  readonly close: () => Promise<void>
}

/** A throwaway Redis server without persistence. It ends when this process ends at the latest. */
export const startRedis = async (): Promise<RedisServer> => {
  const folder = await guardedFolder("edp-redis")
  const port = await freePort()
  const args = ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder.path, "--save", "", "--appendonly", "no"]

  const launchServer = async () => {
    const started = await launch("redis-server", args, { cwd: folder.path })
    folder.protect(started.pid)
    await started.printed(/Ready to accept connections/)
    return started
  }
  let server = await launchServer()
  const stop = async () => {
    if (server.running()) server.kill("SIGKILL")
    await server.exited
    folder.forget()
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop,
    start: async () => {
      if (!server.running()) server = await launchServer()
    },
    freeze: () => server.kill("SIGSTOP"),
    thaw: () => server.kill("SIGCONT"),
    close: async () => {
      await stop()
      await folder.remove()
    }
  }
}

export const redisAvailable = (): boolean => {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** A suite on a real Redis server. */
export const describeRedis = (name: string, suite: () => void): void =>
  describeServer("Redis", redisAvailable(), name, suite)
