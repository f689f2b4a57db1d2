import { type Cause, Queue } from "effect"

/** Bytes that wait for a client that reads slowly; beyond them its connection is closed, and it resumes later. */
const MAX_WAITING = 256 * 1024

/** One open stream: the messages on their way to its client. */
export interface StreamReader {
  readonly workspaceId: string
  readonly keyId: string
  readonly sessionId: string | undefined
  /** The devices whose states it gets. */
  readonly devices: ReadonlySet<string>
  readonly queue: Queue.Queue<Uint8Array, Cause.Done>
  /** Events up to this sequence are sent by the opening. */
  after: number
  /** Devices of which a new state is to be sent. */
  readonly changed: Set<string>
  /** Milliseconds since 1970; infinite until the opening was sent. */
  devicesSentAt: number
  /** Whether nothing more is sent. */
  isEnded: boolean
  waiting: number
  /** Closes the connection at once. */
  readonly cut: () => void
}

type ReaderOptions = Pick<StreamReader, "workspaceId" | "keyId" | "sessionId" | "devices" | "queue" | "cut">

export const makeStreamReader = (options: ReaderOptions): StreamReader => ({
  ...options,
  after: 0,
  changed: new Set(),
  devicesSentAt: Infinity,
  isEnded: false,
  waiting: 0
})

/** Ends the stream after the messages that wait. */
export const endReader = (reader: StreamReader): void => {
  reader.isEnded = true
  Queue.endUnsafe(reader.queue)
}

/** Sends a message, or closes the connection of a client that does not read. */
export const send = (reader: StreamReader, message: Uint8Array): void => {
  if (reader.isEnded) return
  if (reader.waiting > 0 && reader.waiting + message.length > MAX_WAITING) {
    endReader(reader)
    reader.cut()
    return
  }
  reader.waiting += message.length
  Queue.offerUnsafe(reader.queue, message)
}
