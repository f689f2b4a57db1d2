import type { Language } from "@edp/domain/shared/Language"
import { Effect, Result, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type AdapterRoute, localize } from "@edp/adapter-kit/ManufacturerAdapter"
import { findAccountFault } from "../cloud/AccountRecord.ts"
import { type Accounts, scripted } from "../cloud/Accounts.ts"
import type { Grants } from "../cloud/Grants.ts"
import { findTestAccount, testAccounts } from "../cloud/testAccounts.ts"
import { badRequestPage, type ListedAccount, pageHeaders, signInPage } from "./signInPage.ts"
import { chooseLanguage, messages } from "./messages.ts"

export const CLIENT_ID = "energy-device-platform"
export const authorizePath = "/adapters/simulator/oauth/authorize"

/** Homes of the town that the page lists; others are named by their id. */
const LISTED_HOMES = 50

const text = (maximum: number) => Schema.String.check(Schema.isMaxLength(maximum))

/** An authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3). */
const AuthorizationParameters = Schema.Struct({
  response_type: Schema.Literal("code"),
  client_id: Schema.Literal(CLIENT_ID),
  redirect_uri: text(2000),
  state: text(1000),
  code_challenge: Schema.String.check(Schema.isPattern(/^[\w-]{43}$/)),
  code_challenge_method: Schema.Literal("S256"),
  scope: Schema.optionalKey(text(1000)),
  ui_locales: Schema.optionalKey(text(100))
})
type AuthorizationParameters = typeof AuthorizationParameters.Type
const decodeParameters = Schema.decodeUnknownResult(AuthorizationParameters)

const Decision = Schema.Struct({
  decision: Schema.Literals(["approve", "deny", "fail"]),
  account: Schema.optionalKey(text(100)),
  other: Schema.optionalKey(text(100))
})
const decodeDecision = Schema.decodeUnknownResult(Decision)

const pageLanguage = (parameters: Readonly<Record<string, unknown>>, request: HttpServerRequest.HttpServerRequest) =>
  chooseLanguage(
    typeof parameters["ui_locales"] === "string" ? parameters["ui_locales"] : undefined,
    request.headers["accept-language"]
  )

/** The parameters of a form or a query; a repeated one makes the request invalid. */
const toParameters = (search: URLSearchParams): Readonly<Record<string, string>> | undefined =>
  new Set(search.keys()).size === [...search.keys()].length ? Object.fromEntries(search) : undefined

interface SignIn {
  /** The only address to which people are sent back. */
  readonly redirectUri: string
  readonly issuer: string
  readonly accounts: Accounts
  readonly grants: Grants
}

/** The sign-in of the simulated manufacturer: a page to choose an account, and its decision. */
export const authorizeRoutes = ({ accounts, grants, issuer, redirectUri }: SignIn): ReadonlyArray<AdapterRoute> => {
  const headers = pageHeaders(new URL(redirectUri).origin)
  const html = (body: string, status = 200) =>
    HttpServerResponse.text(body, { status, contentType: "text/html; charset=utf-8", headers })

  const listed = Effect.fnUntraced(function* (language: Language) {
    const added = yield* accounts.list(undefined)
    const homes = added.filter(({ id }) => findTestAccount(id) === undefined).slice(0, LISTED_HOMES)
    return [
      ...testAccounts.map(({ id, name, description }) => ({ id, name, description: localize(description, language) })),
      ...homes.map(({ id, record }) => ({ id, name: record.name, description: `${messages[language].town}: ${id}` }))
    ] satisfies ReadonlyArray<ListedAccount>
  })

  /** A request is valid, or answered with a page: only a registered address may be redirected to (RFC 9700, 4.11). */
  const check = (parameters: Readonly<Record<string, string>> | undefined) => {
    if (parameters === undefined) return Result.fail("A parameter is repeated")
    if (parameters["redirect_uri"] !== redirectUri)
      return Result.fail(`redirect_uri must be ${redirectUri}, which is registered for this platform`)
    return Result.mapError(decodeParameters(parameters), (error) => String(error))
  }

  const back = (parameters: Readonly<Record<string, string>>) => {
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries({ ...parameters, iss: issuer })) url.searchParams.set(name, value)
    return HttpServerResponse.redirect(url.href, { status: 303, headers })
  }

  const show = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const parameters = toParameters(new URL(request.url, issuer).searchParams)
    const language = pageLanguage(parameters ?? {}, request)
    const checked = check(parameters)
    if (Result.isFailure(checked)) return html(badRequestPage(language, checked.failure), 400)
    return html(signInPage(language, checked.success, yield* listed(language), false))
  })

  const approve = Effect.fnUntraced(function* (id: string, { code_challenge, state }: AuthorizationParameters) {
    const account = yield* accounts.find(id)
    if (account === undefined) return undefined
    if (findAccountFault(account.record, "sign_in_denied", account.time))
      return back({ error: "access_denied", error_description: "The account may not be linked", state })
    const after = findTestAccount(id)?.afterSignIn
    if (after)
      yield* accounts.change(id, ({ record, time }) => ({
        record: {
          ...record,
          sites: record.sites.map((site) => scripted(site, after.event, time + after.seconds * 1000))
        },
        result: undefined
      }))
    return back({ code: yield* grants.authorize({ accountId: id, redirectUri, codeChallenge: code_challenge }), state })
  })

  const decide = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const form = toParameters(new URLSearchParams(yield* Effect.orElseSucceed(request.text, () => "")))
    const language = pageLanguage(form ?? {}, request)
    const checked = check(form)
    if (Result.isFailure(checked)) return html(badRequestPage(language, checked.failure), 400)
    const decided = decodeDecision(form)
    if (Result.isFailure(decided)) return html(badRequestPage(language, String(decided.failure)), 400)
    const { state } = checked.success
    const { account = "", decision, other = "" } = decided.success
    if (decision === "deny")
      return back({ error: "access_denied", error_description: "The owner denied access", state })
    if (decision === "fail") return back({ error: "server_error", error_description: "The sign-in failed", state })
    const approved = yield* approve(other.trim() === "" ? account : other.trim(), checked.success)
    return approved ?? html(signInPage(language, checked.success, yield* listed(language), true), 422)
  })

  return [
    { method: "GET", path: authorizePath, handle: show },
    { method: "POST", path: authorizePath, handle: decide }
  ]
}
