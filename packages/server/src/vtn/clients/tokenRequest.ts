import { Redacted, Result, Schema } from "effect"

/** An error of the token endpoint, by RFC 6749 and as a problem of OpenADR. */
export interface TokenError {
  readonly status: 400 | 401 | 413 | 415
  readonly error: "invalid_request" | "invalid_client" | "unsupported_grant_type"
  readonly description: string
}

export interface ClientCredentials {
  readonly clientId: string
  readonly secret: Redacted.Redacted
}

/** Characters of an id or a secret. */
const LONGEST = 4096

const invalid = (description: string): TokenError => ({ status: 400, error: "invalid_request", description })

export const wrongCredentials: TokenError = {
  status: 401,
  error: "invalid_client",
  description: "client_id and client_secret are not those of a client: they are the id of an OpenADR key, and the key"
}

const formDecoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The credentials of HTTP Basic, of which each part is form-encoded (RFC 6749, 2.3.1); undefined for another header. */
const basicCredentials = (header: string) => {
  const found = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/iu.exec(header)
  if (found === null) return undefined
  const text = Buffer.from(found[1]!, "base64").toString("utf8")
  const colon = text.indexOf(":")
  const clientId = formDecoded(text.slice(0, Math.max(0, colon)))
  const secret = formDecoded(text.slice(colon + 1))
  return colon < 1 || clientId === undefined || secret === undefined ? undefined : { clientId, secret }
}

const decodeFields = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

/** The form whose fields a JSON object has as texts. */
export const formFromJson = (json: string): Result.Result<string, TokenError> =>
  Result.mapBoth(decodeFields(json), {
    onSuccess: (fields) => new URLSearchParams(fields).toString(),
    onFailure: () => invalid("The body must be a form, or a JSON object whose fields are texts")
  })

/** The credentials of a request for a token, from its form or by HTTP Basic. */
export const readTokenRequest = (
  body: string,
  authorization: string | undefined
): Result.Result<ClientCredentials, TokenError> => {
  const form = new URLSearchParams(body)
  const repeated = [...new Set(form.keys())].find((name) => form.getAll(name).length > 1)
  if (repeated !== undefined) return Result.fail(invalid(`${repeated.slice(0, 100)} is repeated`))
  const grant = form.get("grant_type")
  if (grant === null) return Result.fail(invalid("grant_type is missing: it must be client_credentials"))
  if (grant !== "client_credentials") {
    const description = "grant_type must be client_credentials"
    return Result.fail({ status: 400, error: "unsupported_grant_type", description })
  }
  if (authorization !== undefined && form.has("client_secret")) {
    return Result.fail(invalid("Use either client_secret or the header Authorization"))
  }
  const given =
    authorization === undefined
      ? { clientId: form.get("client_id"), secret: form.get("client_secret") }
      : basicCredentials(authorization)
  if (given === undefined) return Result.fail(wrongCredentials)
  const { clientId, secret } = given
  if (!clientId) return Result.fail(invalid("client_id is missing"))
  if (!secret) return Result.fail(invalid("client_secret is missing"))
  if (clientId.length > LONGEST || secret.length > LONGEST) return Result.fail(wrongCredentials)
  return Result.succeed({ clientId, secret: Redacted.make(secret) })
}
