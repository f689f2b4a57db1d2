import { createServer } from "node:net"

/** Below the range of ephemeral ports, so that no outgoing connection takes the port. */
const lowest = 20_000
const highest = 32_000

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

/** A TCP port on 127.0.0.1 that nothing listens on. */
export const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await listens(port)) return port
  }
  throw new Error(`No free port found between ${lowest} and ${highest}`)
}
