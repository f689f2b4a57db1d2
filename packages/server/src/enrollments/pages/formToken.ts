import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"

const sign = (browser: string, text: string) => createHmac("sha256", browser).update(text).digest("base64url")

const signForm = (browser: string, pageSlug: string, nonce: string) =>
  sign(browser, `enrollment form ${pageSlug} ${nonce}`)

/** A token for a form, which none but the browser's own pages can have: it is signed with the browser's id. */
export const newFormToken = (browser: string, pageSlug: string): string => {
  const nonce = randomBytes(16).toString("base64url")
  return `${nonce}.${signForm(browser, pageSlug, nonce)}`
}

export const isFormToken = (token: string, browser: string, pageSlug: string): boolean => {
  const [nonce = "", signature = ""] = token.split(".")
  const [given, expected] = [Buffer.from(signature), Buffer.from(signForm(browser, pageSlug, nonce))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * The token with which a person goes on with the enrollment that a form began. It follows from the form and the browser's id, so a
 * form that is sent twice leads to the same enrollment.
 */
export const continuationToken = (browser: string, formToken: string): string =>
  sign(browser, `enrollment continuation ${formToken}`)

/** The token of the link of a connect session, for whoever has that of the enrollment. */
export const sessionToken = (continuation: string, sessionId: string): string =>
  sign(continuation, `connect session ${sessionId}`)

export const tokenHash = (token: string): Uint8Array => createHash("sha256").update(token).digest()
