import { Link } from "@tanstack/react-router"
import { siteNameQuery } from "../../api/names.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"

/** The name or the street of a site as soon as it is read; a removed site keeps its id. */
export const SiteLink = ({ id }: { readonly id: string }) => {
  const name = currentValue(useAtomValue(siteNameQuery(id)))
  return (
    <Link to="/dashboard/sites/$id" params={{ id }}>
      {name ?? id}
    </Link>
  )
}
