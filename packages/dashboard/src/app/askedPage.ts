import { SIGN_IN_PAGE } from "@edp/domain/dashboard/Session"
import { nowMillis } from "../state/now.ts"
import { readSetting, writeSetting } from "../state/settings.ts"

const ASKED = "asked"
/** How long a link works, in milliseconds: later ones have nothing to do with the page that was asked for. */
const LINK_LIFETIME = 10 * 60_000

/** Whether the address is that of links, which has no page of its own. */
const isSignInPage = () => location.pathname === SIGN_IN_PAGE

/** Notes the page that a browser without a session asks for: a link that is opened in another tab leads to it. */
export const noteAskedPage = () => {
  if (!isSignInPage()) writeSetting(ASKED, `${nowMillis()} ${location.pathname}${location.search}`)
}

/** Forgets the page that was asked for, once it is shown. */
export const forgetAskedPage = () => writeSetting(ASKED, null)

const askedPage = () => {
  const [, time, page] = /^(\d+) (\/(?:dashboard\/.*|\?.*)?)$/u.exec(readSetting(ASKED) ?? "") ?? []
  return page !== undefined && nowMillis() - Number(time) < LINK_LIFETIME ? page : "/"
}

const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined

/** Whether the address is that of a one-time link, which signs in. */
export const hasToken = () => tokenInAddress() !== undefined

/**
 * Takes the token of a one-time link out of the address, so that it stays in no history. The address of links becomes that of the page
 * to which the sign-in leads: the one that was asked for, else the first one.
 */
export const takeToken = (): string | undefined => {
  const token = tokenInAddress()
  if (isSignInPage()) history.replaceState(null, "", location.search === "" ? askedPage() : `/${location.search}`)
  else if (token !== undefined) history.replaceState(null, "", location.pathname + location.search)
  return token
}
