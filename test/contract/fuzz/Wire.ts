/** A request as it goes over the wire. */
export interface Wire {
  readonly method: string
  /** With its query, percent-encoded or not. */
  readonly path: string
  /** Several values of a name are several headers. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body: string | Buffer | undefined
}

/** For a failure's message: what to send to see it again. */
export const describeWire = ({ method, path, headers, body }: Wire) =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify({ ...headers, "service-api-key": "…" }).slice(0, 300)} ${String(body ?? "").slice(0, 600)}`
