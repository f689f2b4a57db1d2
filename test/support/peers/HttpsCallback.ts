import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { runProgram } from "../launch.ts"

export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: any
}

export interface HttpsCallback {
  /** `https://localhost:<port>`: its certificate is trusted in this process. */
  readonly url: string
  readonly received: Array<ReceivedCall>
  /** The response to a check; by default the value that it is asked to echo. */
  echo: (value: string) => { readonly status: number; readonly body: string }
  /** The status of the response to notifications, or what decides on it by their body and path, however long that takes. */
  status: number | ((body: any, path: string) => number | Promise<number>)
  readonly stop: () => Promise<void>
}

/** An https server of a subscriber. */
export const startHttpsCallback = async (): Promise<HttpsCallback> => {
  const folder = mkdtempSync(join(tmpdir(), "edp-callback-"))
  const [keyPath, certPath] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  await runProgram("openssl", [
    ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split(" "),
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
    "-keyout",
    keyPath,
    "-out",
    certPath
  ])
  const [key, cert] = [readFileSync(keyPath, "utf8"), readFileSync(certPath, "utf8")]
  rmSync(folder, { recursive: true })
  const trusted = getCACertificates("default")
  setDefaultCACertificates([...trusted, cert])

  const received: Array<ReceivedCall> = []
  const server = createServer({ key, cert }, async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { searchParams } = new URL(request.url!, callback.url)
    const value = searchParams.get("echo")
    received.push({
      method: request.method!,
      path: request.url!,
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text)
    })
    const { status } = callback
    const { body } = received.at(-1)!
    const decided = async () => (typeof status === "number" ? status : await status(body, request.url!))
    const reply = value === null ? { status: await decided(), body: "" } : callback.echo(value)
    response.writeHead(reply.status, reply.status === 302 ? { location: reply.body } : {}).end(reply.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const callback: HttpsCallback = {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    received,
    echo: (value) => ({ status: 200, body: value }),
    status: 200,
    stop: async () => {
      setDefaultCACertificates(trusted)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  return callback
}
