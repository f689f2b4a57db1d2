import { connect } from "node:net"

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends bytes to a server and returns everything that it sends until it closes the connection. */
export const rawConversation = (url: string, ...said: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const heard: Array<Buffer> = []
    const socket = connect(Number(port), hostname, () => said.forEach((part) => socket.write(part, "latin1")))
    socket.on("data", (part: Buffer) => heard.push(part))
    // A server may reset the connection when it refuses a request that is still being sent.
    socket.on("error", () => {})
    socket.on("close", () => resolve(Buffer.concat(heard).toString("utf8")))
  })

/** Parses the replies of a conversation by their Content-Length. */
export const repliesIn = (heard: string): ReadonlyArray<RawReply> => {
  const end = heard.indexOf("\r\n\r\n")
  if (end < 0) return []
  const [line = "", ...fields] = heard.slice(0, end).split("\r\n")
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(":", 1)[0]!.toLowerCase(), field.slice(field.indexOf(":") + 1).trim()])
  )
  const rest = Buffer.from(heard.slice(end + 4))
  const length = Number(headers["content-length"] ?? 0)
  const text = rest.subarray(0, length).toString()
  return [{ status: Number(line.split(" ")[1]), headers, text }, ...repliesIn(rest.subarray(length).toString())]
}
