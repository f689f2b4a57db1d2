import { randomBytes } from "node:crypto"
import type { Language } from "@edp/domain/shared/Language"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isLanguage } from "./language.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The visitor of a page. */
export interface Visitor {
  /** The language that the visitor chose on a page; it goes before that of the flow. `chooseLanguage` decides. */
  readonly language: Language | null
  /** The header Accept-Language. */
  readonly languages: string | null
  /**
   * The browser's id: an unguessable value that the pages set as a cookie with the first page. The callback of an authorization
   * that began in one browser is refused in another that has an id; null where there is no cookie, and then nothing is checked.
   */
  readonly cookie: string | null
}

const browserForm = /^[\w-]{43}$/

export const newBrowser = () => randomBytes(32).toString("base64url")

/** The cookies by which the pages know their visitors. */
export const visitorCookies = (publicUrl: string) => {
  const isSecure = publicUrl.startsWith("https:")
  const nameIn = (name: string) => (isSecure ? `__Host-${name}` : name)
  const names = { browser: nameIn("edp-connect"), language: nameIn("edp-language") }
  const set = (response: Response, name: string, value: string, more: { readonly maxAge?: number } = {}) =>
    HttpServerResponse.setCookieUnsafe(response, name, value, {
      httpOnly: true,
      sameSite: "lax",
      secure: isSecure,
      path: "/",
      ...more
    })
  return {
    nameIn,
    set,
    setLanguage: (response: Response, language: Language) => set(response, names.language, language),
    setBrowser: (response: Response, browser: string) => set(response, names.browser, browser),
    visitorFrom: (request: HttpServerRequest.HttpServerRequest): Visitor => {
      const { [names.browser]: browser = "", [names.language]: language = "" } = request.cookies
      return {
        language: isLanguage(language) ? language : null,
        languages: request.headers["accept-language"] ?? null,
        cookie: browserForm.test(browser) ? browser : null
      }
    }
  }
}
