/** Schemes that run or embed content instead of leading somewhere. */
const refused = ["javascript:", "data:", "file:", "vbscript:", "blob:", "about:", "filesystem:", "view-source:"]

/** The address if a link may lead there: https, http, or the scheme of an app. */
export const linkable = (url: string | null): string | null =>
  url !== null && URL.canParse(url) && !refused.includes(new URL(url).protocol) ? url : null

/** The address if it is one of the web. */
export const webAddress = (url: string | null): string | null =>
  url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null

/** The host of an address, or the scheme of an app. */
export const shownHost = (url: string): string => {
  const { host, protocol } = new URL(url)
  return /^https?:$/.test(protocol) ? host : protocol
}
