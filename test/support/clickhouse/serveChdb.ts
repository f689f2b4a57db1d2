import { createServer, type IncomingMessage } from "node:http"
import { createRequire } from "node:module"
import { gunzipSync } from "node:zlib"

/**
 * ClickHouse's HTTP interface over the engine in this process, as far as its client uses it. Arguments: the folder of the data, the port, and the
 * password of the user `default`. Each statement is written to the output when it begins and when it has ended.
 */
const [folder, port, password = ""] = process.argv.slice(2)

interface Result {
  readonly bytes: () => Uint8Array
}
interface Session {
  readonly queryAsync: (statement: string, options: { readonly format: string }) => Promise<Result>
}
const { Session } = createRequire(import.meta.url)("chdb") as { readonly Session: new (folder: string) => Session }
const session = new Session(folder!)

const readBody = async (request: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body
}

/** Parameters come in the address, or as parts of a form where they are long. */
const readStatement = async (request: IncomingMessage) => {
  const address = new URL(request.url!, "http://127.0.0.1")
  const parameters = new Map(address.searchParams)
  const body = await readBody(request)
  const type = request.headers["content-type"] ?? ""
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData()
    for (const [name, value] of form) parameters.set(name, typeof value === "string" ? value : await value.text())
  }
  const text = type.startsWith("multipart/form-data") ? "" : body.toString("utf8")
  const statement = [parameters.get("query"), text].filter(Boolean).join("\n")
  return { statement, parameters }
}

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

/** The engine in process has no parameters of requests. */
const bind = (statement: string, parameters: ReadonlyMap<string, string>) =>
  statement.replaceAll(/\{(\w+):([A-Za-z0-9()]+)\}/gu, (whole, name: string, type: string) => {
    const value = parameters.get(`param_${name}`)
    return value === undefined ? whole : `CAST(${quote(value)} AS ${type})`
  })

const isAuthorized = ({ headers }: IncomingMessage) => {
  const basic = Buffer.from(headers.authorization?.replace(/^Basic /u, "") ?? "", "base64").toString()
  return (headers["x-clickhouse-key"] ?? basic.slice(basic.indexOf(":") + 1)) === password
}

const server = createServer((request, response) => {
  const refuse = (status: number, code: number, message: string) => {
    response
      .writeHead(status, { "x-clickhouse-exception-code": String(code) })
      .end(`Code: ${code}. DB::Exception: ${message}`)
  }
  const respond = async () => {
    if (request.url!.startsWith("/ping")) return void response.end("Ok.\n")
    const { statement, parameters } = await readStatement(request)
    if (!isAuthorized(request)) return refuse(403, 516, "default: Authentication failed (AUTHENTICATION_FAILED)")
    const kind = statement.trim().slice(0, 6)
    process.stdout.write(`begin ${kind}\n`)
    const result = await session.queryAsync(bind(statement, parameters), {
      format: parameters.get("default_format") ?? "TabSeparated"
    })
    process.stdout.write(`end ${kind}\n`)
    response.end(result.bytes())
  }
  respond().catch((error: Error & { readonly clickhouseCode?: number }) =>
    refuse(500, error.clickhouseCode ?? 1, error.message)
  )
})
server.listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"))
