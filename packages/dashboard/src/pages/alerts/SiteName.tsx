import { siteQuery } from "../../resources/sites.ts"
import { siteName } from "../../kit/names.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"

/** The name of a site; its id until the name is read, and for a site that was deleted. */
export const SiteName = ({ id }: { readonly id: string }) => {
  const site = currentValue(useAtomValue(siteQuery(id)))
  return site === undefined ? id : siteName(site)
}
