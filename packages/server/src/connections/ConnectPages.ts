import { randomBytes } from "node:crypto"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { ByteSize, Cause, Effect, Layer, Option, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import { ConnectFlow, type FlowResult, type Visitor } from "./ConnectFlow.ts"
import type { FlowView } from "./flowView.ts"
import { linkable } from "./pages/addresses.ts"
import { Assets, ASSETS } from "./pages/Assets.ts"
import { field, FORM_LIMIT_KIB, parseFields, singleFields } from "./pages/forms.ts"
import { assetHeaders, logoHeaders, pageHeaders } from "./pages/headers.ts"
import { chooseLanguage, isLanguage } from "./pages/language.ts"
import type { PageRequest } from "./pages/layout.ts"
import { Logos, LOGOS } from "./pages/Logos.ts"
import { plainContext, renderFailure, renderLeaving, renderPage, renderRefusedForm } from "./pages/renderPage.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Fields = NonNullable<ReturnType<typeof parseFields>>

/** Tokens that the flow could have made. Others need no look at the database. */
const tokenForm = /^[\w-]{16,200}$/

const browserForm = /^[\w-]{43}$/
const newBrowser = () => randomBytes(32).toString("base64url")

const htmlPage = (status: number, markup: string, more: Readonly<Record<string, string>> = {}): Response =>
  HttpServerResponse.text(markup, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...pageHeaders, ...more }
  })

const seeOther = (url: string): Response =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: url, "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

/** Whether the page shows what is wrong with what was sent, which only the answer to it can show. */
const hasProblems = (view: FlowView): boolean => {
  switch (view.page) {
    case "customer":
      return Object.keys(view.form.problems).length > 0
    case "form":
      return Object.keys(view.form.problems).length > 0 || view.failure !== null
    case "system":
      return view.problem !== null || Object.keys(view.address?.problems ?? {}).length > 0
    default:
      return false
  }
}

const viewStatus = (view: FlowView): number => {
  if (view.page === "unknown") return 404
  if (view.page === "error" && view.error === "expired") return 410
  return hasProblems(view) ? 422 : 200
}

const queryFields = (request: Request): Fields => parseFields(request.url.split("?")[1] ?? "") ?? new Map()

const isForm = ({ headers }: Request) =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers["content-type"] ?? "")

/** The fields of a posted form; undefined if it can't be read. */
const readForm = (request: Request): Effect.Effect<Fields | undefined> => {
  const limit = ByteSize.kibibytes(FORM_LIMIT_KIB)
  if (Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(limit)) return Effect.succeed(undefined)
  if (!isForm(request)) return Effect.succeed(undefined)
  return request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, limit),
    Effect.map(parseFields),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

const isDeviceType = Schema.is(DeviceType)

const addressNames = ["streetOne", "streetTwo", "city", "state", "postalCode", "country"]

const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const flow = yield* ConnectFlow
  const assets = yield* Assets
  const logos = yield* Logos
  const { publicUrl } = yield* ServerConfig

  const isSecure = publicUrl.startsWith("https:")
  const names = isSecure
    ? { browser: "__Host-edp-connect", language: "__Host-edp-language" }
    : { browser: "edp-connect", language: "edp-language" }

  const setCookie = (response: Response, name: string, value: string) =>
    HttpServerResponse.setCookieUnsafe(response, name, value, {
      httpOnly: true,
      sameSite: "lax",
      secure: isSecure,
      path: "/"
    })

  const visitorFrom = (request: Request): Visitor => {
    const { [names.browser]: browser = "", [names.language]: language = "" } = request.cookies
    return {
      language: isLanguage(language) ? language : null,
      languages: request.headers["accept-language"] ?? null,
      cookie: browserForm.test(browser) ? browser : null
    }
  }

  const pageRequest = (base: string | null, refreshes = true): PageRequest => ({
    base,
    assets: assets.paths,
    logoPath: logos.path,
    refreshes
  })

  const languageFor = (visitor: Visitor) => chooseLanguage(visitor.language, visitor.languages)

  /** An address elsewhere. A page leads there, because `form-action` would have to name it to let a form's redirect pass. */
  const leave = (visitor: Visitor, url: string): Response => {
    const { href } = new URL(url)
    return htmlPage(200, renderLeaving(languageFor(visitor), href, pageRequest(null)), { refresh: `0; url=${href}` })
  }

  const unknown = (visitor: Visitor): Response =>
    htmlPage(404, renderPage({ ...plainContext(languageFor(visitor)), page: "unknown" }, pageRequest(null)))

  const failed = (visitor: Visitor, base: string | null, status: number): Response =>
    htmlPage(
      status,
      renderFailure(languageFor(visitor), pageRequest(base)),
      status === 503 ? { "retry-after": "30" } : {}
    )

  const refused = (visitor: Visitor, base: string | null, status: number): Response =>
    htmlPage(status, renderRefusedForm(languageFor(visitor), pageRequest(base)))

  const show = (view: FlowView, base: string | null, refreshes = true): Response =>
    htmlPage(viewStatus(view), renderPage(view, pageRequest(view.page === "unknown" ? null : base, refreshes)))

  /** Names the route for metrics, and answers failures with a page. */
  const page = <E, R>(
    route: string,
    answer: (request: Request, visitor: Visitor, base: string | null) => Effect.Effect<Response, E, R>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { token = "" } = yield* HttpRouter.params
      const info = yield* CurrentRequest
      info.route = route
      const visitor = visitorFrom(request)
      const base = tokenForm.test(token) ? `/connect/${token}` : null
      return yield* answer(request, visitor, base).pipe(
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
          const error = Cause.squash(cause)
          // The database does not respond, as the services say it: the visitor may try again soon.
          if (error instanceof ServiceUnavailable) return Effect.succeed(failed(visitor, base, 503))
          return Effect.as(Effect.logError("Unexpected error", cause), failed(visitor, base, 500))
        })
      )
    })

  /** A page of a session; tokens that the flow did not make are answered at once. */
  const sessionPage = <E, R>(
    route: string,
    answer: (token: string, request: Request, visitor: Visitor, base: string) => Effect.Effect<Response, E, R>
  ) =>
    page(route, (request, visitor, base) =>
      base === null ? Effect.succeed(unknown(visitor)) : answer(base.slice("/connect/".length), request, visitor, base)
    )

  const open = sessionPage("/connect/:token", (token, request, visitor, base) =>
    Effect.gen(function* () {
      const query = queryFields(request)
      const language = field(query, "language")
      if (isLanguage(language)) return setCookie(seeOther(base), names.language, language)
      const browser = visitor.cookie ?? newBrowser()
      const known = { ...visitor, cookie: browser }
      const [search, type] = [field(query, "search").slice(0, 100), field(query, "deviceType")]
      const result = yield* search === "" && type === ""
        ? flow.open(token, known)
        : flow.searchManufacturers(token, known, { search, deviceType: isDeviceType(type) ? type : null })
      if (result.kind === "redirect") return follow(result, visitor)
      const shown = show(result.view, base, field(query, "check") !== "manual")
      return visitor.cookie !== null || result.view.page === "unknown"
        ? shown
        : setCookie(shown, names.browser, browser)
    })
  )

  const follow = (result: Extract<FlowResult, { readonly kind: "redirect" }>, visitor: Visitor): Response => {
    if (!result.external) return seeOther(result.url)
    return linkable(result.url) === null ? failed(visitor, null, 500) : leave(visitor, result.url)
  }

  type Step = (token: string, visitor: Visitor, form: Fields) => Effect.Effect<FlowResult>

  const steps: Readonly<Record<string, Step>> = {
    customer: (token, visitor, form) => flow.submitCustomer(token, visitor, singleFields(form)),
    manufacturer: (token, visitor, form) => flow.chooseManufacturer(token, visitor, field(form, "manufacturer")),
    another: (token, visitor) => flow.chooseAnother(token, visitor),
    consent: (token, visitor, form) => {
      const granted = field(form, "granted")
      // Neither answer: the page asks once more.
      return granted === "yes" || granted === "no"
        ? flow.consent(token, visitor, granted === "yes")
        : flow.open(token, visitor)
    },
    form: (token, visitor, form) => flow.submitForm(token, visitor, singleFields(form)),
    devices: (token, visitor, form) =>
      flow.chooseDevices(token, visitor, {
        manufacturerDeviceIds: form.get("device") ?? [],
        address: form.has("streetOne")
          ? Object.fromEntries(addressNames.map((name) => [name, field(form, name)]))
          : null
      }),
    retry: (token, visitor) => flow.retry(token, visitor),
    cancel: (token, visitor) => flow.cancel(token, visitor)
  }

  const submit = sessionPage("/connect/:token/:step", (token, request, visitor, base) =>
    Effect.gen(function* () {
      const { step: name = "" } = yield* HttpRouter.params
      const step = Object.hasOwn(steps, name) ? steps[name] : undefined
      if (step === undefined) return unknown(visitor)
      const form = yield* readForm(request)
      if (form === undefined) return refused(visitor, base, 400)
      const result = yield* step(token, visitor, form)
      if (result.kind === "redirect") return follow(result, visitor)
      // The next page has an address of its own, so that a reload does not send the form again.
      return hasProblems(result.view) || result.view.page === "unknown" ? show(result.view, base) : seeOther(base)
    })
  )

  /** Somebody opens the address of a step: its page is that of the session. */
  const reopen = sessionPage("/connect/:token/:step", (_, __, ___, base) => Effect.succeed(seeOther(base)))

  const callback = page("/oauth/callback", (request, visitor) =>
    Effect.map(flow.callback(visitor, singleFields(queryFields(request))), (result) => {
      if (result.kind === "view") return show(result.view, null)
      // The manufacturer's form led here, and its policy may allow no redirect beyond the platform.
      return follow(result, visitor)
    })
  )

  const asset = page(`${ASSETS}/:name`, (_, visitor) =>
    Effect.map(HttpRouter.params, ({ name = "" }) => {
      const found = assets.find(name)
      return found === undefined
        ? unknown(visitor)
        : HttpServerResponse.text(found.content, { contentType: found.contentType, headers: assetHeaders })
    })
  )

  const logo = page(`${LOGOS}/:signature/:url`, (_, visitor) =>
    HttpRouter.params.pipe(
      Effect.flatMap(({ signature = "", url = "" }) => logos.load(signature, url)),
      Effect.option,
      Effect.map(
        Option.match({
          onNone: () => unknown(visitor),
          onSome: ({ content, contentType }) =>
            HttpServerResponse.uint8Array(content, { contentType, headers: logoHeaders })
        })
      )
    )
  )

  /** Other methods and paths below ours: a person may have mistyped an address. */
  const elsewhere = page("/connect/*", (request, visitor) =>
    Effect.succeed(request.method === "GET" ? unknown(visitor) : refused(visitor, null, 405))
  )

  yield* router.add("GET", `${ASSETS}/:name`, asset)
  yield* router.add("GET", `${LOGOS}/:signature/:url`, logo)
  yield* router.add("GET", "/connect/:token", open)
  yield* router.add("GET", "/connect/:token/:step", reopen)
  yield* router.add("POST", "/connect/:token/:step", submit)
  yield* router.add("GET", "/oauth/callback", callback)
  // A wildcard also stands for the path without its last part. HEAD is left to GET.
  for (const path of ["/connect/*", "/oauth/*"] as const) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
      yield* router.add(method, path, elsewhere)
    }
  }
})

/** The hosted connect pages and the address to which manufacturers send people back. They need no key. */
export const ConnectPages = {
  layer: Layer.effectDiscard(make).pipe(Layer.provide([Assets.layer, Logos.layer]))
}
