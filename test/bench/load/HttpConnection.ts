import { connect, type Socket } from "node:net"

export interface Reply {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

/**
 * One keep-alive connection with one request under way. It only finds the end of a response, because on a
 * machine that both share, every microsecond of the load generator is taken from the server.
 */
export class HttpConnection {
  private readonly parts: Array<Buffer> = []
  private head = ""
  private status = 0
  private missing = -1
  private settle: ((response: Reply) => void) | undefined
  private readonly socket: Socket

  private constructor(socket: Socket, failed: (error: Error) => void) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk: Buffer) => this.take(chunk))
    socket.on("error", failed)
    socket.on("close", () => {
      if (this.settle !== undefined) failed(new Error("The server closed a connection with a request under way"))
    })
  }

  static open(port: number, failed: (error: Error) => void): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.off("error", reject)
        resolve(new HttpConnection(socket, failed))
      })
      socket.once("error", reject)
    })
  }

  send(request: string, settle: (response: Reply) => void): void {
    this.settle = settle
    this.socket.write(request, "latin1")
  }

  close(): void {
    this.socket.destroy()
  }

  private take(chunk: Buffer): void {
    this.parts.push(chunk)
    if (this.missing >= 0) this.missing -= chunk.length
    else this.readHead()
    if (this.missing === 0) this.finish()
  }

  private readHead(): void {
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts)
    const end = bytes.indexOf("\r\n\r\n")
    if (end < 0) return
    this.head = bytes.toString("latin1", 0, end)
    this.status = Number(this.head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.head)?.[1]
    if (length === undefined) throw new Error(`A response without Content-Length:\n${this.head}`)
    const body = bytes.subarray(end + 4)
    this.parts.length = 0
    this.parts.push(body)
    this.missing = Number(length) - body.length
  }

  private finish(): void {
    const response = {
      status: this.status,
      head: this.head,
      body: this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts)
    }
    this.parts.length = 0
    this.missing = -1
    const settle = this.settle
    this.settle = undefined
    settle?.(response)
  }
}
