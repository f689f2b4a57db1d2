import { get, type IncomingMessage } from "node:http"

/** Devices that each stream names, and how many of them the next one does not. */
const NAMED = 100
const MOVED = 9

/** Opens streams of the dashboard and reads them. `close` ends them and returns the messages per second of all. */
export const openStreams = async (url: string, key: string, count: number, deviceIds: ReadonlyArray<string>) => {
  let messages = 0
  const open = (number: number) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const named = deviceIds.slice(number * MOVED, number * MOVED + NAMED)
      const path = `${url}/dashboard/api/stream?devices=${named.join(",")}`
      get(path, { agent: false, headers: { "Service-Api-Key": key } }, (response) => {
        response.on("data", (part: Buffer) => (messages += part.toString().split("\ndata: ").length - 1))
        response.on("error", () => {})
        if (response.statusCode === 200) resolve(response)
        else reject(new Error(`The stream is refused with ${response.statusCode}`))
      }).on("error", reject)
    })
  const responses = await Promise.all(Array.from({ length: count }, (_, number) => open(number)))
  const began = performance.now()
  return {
    close: () => {
      for (const response of responses) response.destroy()
      return messages / ((performance.now() - began) / 1000)
    }
  }
}
