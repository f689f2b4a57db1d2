import { MASK } from "@edp/domain/destinations/Destination"

/** What lists and the audit log show of a URL: its scheme and host. The rest is a secret, such as a token in its path. */
export const shownUrl = (url: string): string => `${new URL(url).origin}/${MASK}`

/** Whether it is what is shown of a URL, and not one itself. */
export const isShownUrl = (url: string): boolean => url.endsWith(`/${MASK}`)
