import { IncomingMessage } from "node:http"

/** The request once more, with its body unread. */
export const replayed = (request: IncomingMessage, body: Buffer): IncomingMessage => {
  const again = new IncomingMessage(request.socket)
  again.method = request.method
  again.url = request.url
  again.httpVersion = request.httpVersion
  again.httpVersionMajor = request.httpVersionMajor
  again.httpVersionMinor = request.httpVersionMinor
  again.rawHeaders = request.rawHeaders
  again.headers = request.headers
  again.push(body)
  again.push(null)
  again.complete = true
  return again
}
