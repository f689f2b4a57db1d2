import { SiteLink } from "../../kit/recordLinks.tsx"
import { siteNameQuery } from "../../resources/names.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"

/** The name or the street of a site as soon as it is read; a removed site keeps its id. */
export const NamedSiteLink = ({ id }: { readonly id: string }) => {
  const result = useAtomValue(siteNameQuery(id))
  // An id that is replaced a moment later only draws the eye.
  return <SiteLink id={id}>{result._tag === "Initial" ? "…" : (currentValue(result) ?? id)}</SiteLink>
}
