import { StreamMessage } from "@edp/domain/dashboard/StreamApi"
import { Schema } from "effect"
import { eventually } from "../../support/eventually.ts"

const decode = Schema.decodeUnknownSync(StreamMessage, { onExcessProperty: "error" })

/** A message as a client gets it, and when. */
export interface Received {
  readonly id: number
  readonly event: string
  readonly data: any
  readonly at: number
}

const parse = (block: string, at: number): Received | undefined => {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()])
  )
  if (fields.data === undefined) return undefined
  // Every message has the form of the contract.
  const { data } = decode({ id: fields.id, event: fields.event, data: fields.data })
  return { id: Number(fields.id), event: fields.event!, data, at }
}

/** Opens the stream of a key, or of the cookie of a session, and collects its messages. */
export const openStream = async (
  url: string,
  credential: string,
  {
    lastEventId,
    query = "",
    workspaceId
  }: { readonly lastEventId?: number; readonly query?: string; readonly workspaceId?: string } = {}
) => {
  const abort = new AbortController()
  const response = await fetch(`${url}/dashboard/api/stream?${query}`, {
    headers: {
      ...(credential.includes("=") ? { Cookie: credential } : { "Service-Api-Key": credential }),
      "Accept-Encoding": "gzip, br",
      ...(workspaceId !== undefined && { "X-Workspace-Id": workspaceId }),
      ...(lastEventId !== undefined && { "Last-Event-ID": String(lastEventId) })
    },
    signal: abort.signal
  })
  const received: Array<Received> = []
  let comments = 0
  let isEnded = false
  const read = async () => {
    let rest = ""
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + part).split("\n\n")
      rest = blocks.pop()!
      for (const block of blocks) {
        if (block.startsWith(":")) comments += 1
        const message = parse(block, performance.now())
        if (message !== undefined) received.push(message)
      }
    }
  }
  const done =
    response.status === 200
      ? read()
          .catch(() => {})
          .then(() => void (isEnded = true))
      : Promise.resolve()
  const changes = (kind: string) => received.filter(({ data }) => data.kind === kind)
  return {
    response,
    received,
    comments: () => comments,
    isEnded: () => isEnded,
    done,
    /** The sequences of the received events. */
    sequences: () => changes("event").map(({ data }) => data.sequence as number),
    changes,
    /** Waits for the first message that the condition accepts. */
    find: (what: string, accepts: (message: Received) => boolean) => eventually(what, () => received.find(accepts)),
    close: () => {
      abort.abort()
      return done
    }
  }
}

export type StreamClient = Awaited<ReturnType<typeof openStream>>
