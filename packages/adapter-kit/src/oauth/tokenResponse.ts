import type { HttpResponse } from "../http/httpResponse.ts"

type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Names of RFC 6749 and the other spellings that manufacturers use. */
const spellings = {
  access_token: "accessToken",
  refresh_token: "refreshToken",
  expires_in: "expiresIn",
  token_type: "tokenType",
  scope: "scopes"
} as const

/**
 * A token response in the form of RFC 6749: some manufacturers write the names in camel case, leave the type of the token out,
 * respond with 201, send `expires_in` as text, null for an absent value, or scopes as a list. ID tokens are left out: the
 * sign-in asks for access, not for an identity, and nothing reads them.
 */
export const conformingResponse = (response: HttpResponse): HttpResponse => {
  const { body, status } = response
  if (status < 200 || status >= 300 || !isRecord(body)) return response
  const { id_token: _, ...given } = body
  const named = Object.fromEntries(
    Object.entries(spellings).map(([name, other]) => [name, given[name] ?? given[other] ?? undefined])
  )
  const { expires_in, scope } = named
  const seconds = typeof expires_in === "string" ? Number.parseFloat(expires_in) : expires_in
  return {
    ...response,
    status: 200,
    body: {
      ...given,
      ...named,
      token_type: named["token_type"] ?? "bearer",
      expires_in: typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined,
      scope: Array.isArray(scope) ? scope.join(" ") : scope
    }
  }
}
