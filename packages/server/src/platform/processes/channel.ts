type Message =
  | { readonly kind: "question"; readonly id: number; readonly name: string; readonly body: unknown }
  | { readonly kind: "response"; readonly id: number; readonly body: unknown }

/** The other end: a process that this one has started, or the process that has started this one. */
interface Peer {
  readonly send: (message: Message) => unknown
  readonly onMessage: (listen: (message: Message) => void) => unknown
}

type Responder = (body: any) => unknown

export interface Channel {
  /** Sends a question. The response is undefined if the peer does not know it, or ends. */
  readonly ask: (name: string, body?: unknown) => Promise<unknown>
  /** Ends the questions that are open. */
  readonly close: () => void
}

/** Questions and responses between two processes, in both directions. */
export const openChannel = (peer: Peer, responders: Readonly<Record<string, Responder>>): Channel => {
  const open = new Map<number, (body: unknown) => void>()
  let lastId = 0
  peer.onMessage((message) => {
    if (message.kind === "response") {
      open.get(message.id)?.(message.body)
      open.delete(message.id)
    } else if (message.kind === "question") {
      const { body, id, name } = message
      void Promise.resolve(responders[name]?.(body)).then((response) =>
        peer.send({ kind: "response", id, body: response })
      )
    }
  })
  return {
    ask: (name, body) =>
      new Promise((resolve) => {
        lastId += 1
        open.set(lastId, resolve)
        peer.send({ kind: "question", id: lastId, name, body })
      }),
    close: () => {
      for (const end of open.values()) end(undefined)
      open.clear()
    }
  }
}
