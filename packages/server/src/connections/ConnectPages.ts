import { DeviceType } from "@edp/domain/devices/DeviceType"
import type { FlowView } from "@edp/hosted-pages/connect/pageTypes"
import { renderConnectPage } from "@edp/hosted-pages/render"
import { linkable } from "@edp/hosted-pages/scene/addresses"
import { type PageRequest, plainContext } from "@edp/hosted-pages/scene/scene"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import { Assets, ASSETS } from "../platform/pages/Assets.ts"
import { field, type Fields, singleFields } from "../platform/pages/formFields.ts"
import { assetHeaders, logoHeaders } from "../platform/pages/headers.ts"
import { chooseLanguage, isLanguage } from "../platform/pages/language.ts"
import { Logos, LOGOS } from "../platform/pages/Logos.ts"
import {
  failed,
  htmlPage,
  leaveTo,
  queryFields,
  readForm,
  refusedForm,
  seeOther,
  withFailurePage
} from "../platform/pages/pageResponses.ts"
import { callerNetwork } from "../platform/rate-limits/callerNetwork.ts"
import { RateLimitStore } from "../platform/rate-limits/RateLimitStore.ts"
import { newBrowser, type Visitor, visitorCookies } from "../platform/pages/visitors.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { ConnectFlow, type FlowResult } from "./flow/ConnectFlow.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Tokens that the flow could have made. Others need no look at the database. */
const tokenForm = /^[\w-]{16,200}$/

/** Whether the page shows what is wrong with what was sent, which only the response to it can show. */
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
  if (view.page === "form" && view.failure === "too_many") return 429
  return hasProblems(view) ? 422 : 200
}

/** Forms that name devices, of one network in a minute. Each may dial a host in the networks of the platform. */
const FORMS_PER_MINUTE = 30

const isDeviceType = Schema.is(DeviceType)

const addressNames = ["streetOne", "streetTwo", "city", "state", "postalCode", "country"]

const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const flow = yield* ConnectFlow
  const assets = yield* Assets
  const logos = yield* Logos
  const limits = yield* RateLimitStore
  const { publicUrl } = yield* ServerConfig

  const { setBrowser, setLanguage, visitorFrom } = visitorCookies(publicUrl)

  const pageRequest = (base: string | null, refreshes = true): PageRequest => ({
    base,
    assets: assets.paths,
    logoPath: logos.path,
    refreshes
  })

  const unknown = ({ language, languages }: Visitor): Response => {
    const context = plainContext(chooseLanguage(language, languages))
    return htmlPage(404, renderConnectPage({ ...context, page: "unknown" }, pageRequest(null)))
  }

  const refused = (visitor: Visitor, base: string | null, status: number) =>
    refusedForm(visitor, pageRequest(base), status)

  const show = (view: FlowView, base: string | null, refreshes = true): Response =>
    htmlPage(viewStatus(view), renderConnectPage(view, pageRequest(view.page === "unknown" ? null : base, refreshes)))

  /** Names the route for metrics, and responds to failures with a page. */
  const page = <E, R>(
    route: string,
    respond: (request: Request, visitor: Visitor, base: string | null) => Effect.Effect<Response, E, R>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { token = "" } = yield* HttpRouter.params
      const info = yield* CurrentRequest
      info.route = route
      const visitor = visitorFrom(request)
      const base = tokenForm.test(token) ? `/connect/${token}` : null
      return yield* withFailurePage(respond(request, visitor, base), visitor, pageRequest(base))
    })

  /** A page of a session; tokens that the flow did not make are answered at once. */
  const sessionPage = <E, R>(
    route: string,
    respond: (token: string, request: Request, visitor: Visitor, base: string) => Effect.Effect<Response, E, R>
  ) =>
    page(route, (request, visitor, base) =>
      base === null ? Effect.succeed(unknown(visitor)) : respond(base.slice("/connect/".length), request, visitor, base)
    )

  const open = sessionPage("/connect/:token", (token, request, visitor, base) =>
    Effect.gen(function* () {
      const query = queryFields(request)
      const language = field(query, "language")
      if (isLanguage(language)) return setLanguage(seeOther(base), language)
      const browser = visitor.cookie ?? newBrowser()
      const known = { ...visitor, cookie: browser }
      const [search, type] = [field(query, "search").slice(0, 100), field(query, "deviceType")]
      const result = yield* search === "" && type === ""
        ? flow.open(token, known)
        : flow.searchManufacturers(token, known, { search, deviceType: isDeviceType(type) ? type : null })
      if (result.kind === "redirect") return follow(result, visitor)
      const shown = show(result.view, base, field(query, "check") !== "manual")
      return visitor.cookie !== null || result.view.page === "unknown" ? shown : setBrowser(shown, browser)
    })
  )

  const follow = (
    result: Extract<FlowResult, { readonly kind: "redirect" }>,
    visitor: Visitor,
    base: string | null = null
  ): Response => {
    if (!result.external) return seeOther(result.url)
    // The page of a sign-in goes on by itself: the person may come back in an app or in another browser.
    const request = pageRequest(result.isSignIn === true ? base : null)
    return linkable(result.url) === null ? failed(visitor, request, 500) : leaveTo(visitor, request, result.url)
  }

  type Step = (token: string, visitor: Visitor, form: Fields) => Effect.Effect<FlowResult, DatabaseUnavailable>

  const steps: Readonly<Record<string, Step>> = {
    customer: (token, visitor, form) => flow.submitCustomer(token, visitor, singleFields(form)),
    manufacturer: (token, visitor, form) => flow.chooseManufacturer(token, visitor, field(form, "manufacturer")),
    another: (token, visitor) => flow.chooseAnother(token, visitor),
    consent: (token, visitor, form) => {
      const granted = field(form, "granted")
      // Neither responds: the page sends it once more.
      return granted === "yes" || granted === "no"
        ? flow.consent(token, visitor, granted === "yes")
        : flow.open(token, visitor)
    },
    form: (token, visitor, form) =>
      Effect.gen(function* () {
        const { address } = yield* CurrentRequest
        const { count } = yield* limits.take(`connect form:${callerNetwork(address)}`)
        return yield* flow.submitForm(token, visitor, singleFields(form), count > FORMS_PER_MINUTE)
      }),
    devices: (token, visitor, form) =>
      flow.chooseDevices(token, visitor, {
        manufacturerDeviceIds: form.get("device") ?? [],
        address: form.has("streetOne")
          ? Object.fromEntries(addressNames.map((name) => [name, field(form, name)]))
          : null
      }),
    leave: (token, visitor) => flow.leave(token, visitor),
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
      if (result.kind === "redirect") return follow(result, visitor, base)
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

/** The hosted connect pages and the address to which manufacturers send end users back. They need no key. */
export const ConnectPages = {
  layer: Layer.effectDiscard(make).pipe(Layer.provide([Assets.layer, Logos.layer]))
}
