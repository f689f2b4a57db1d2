import { SiteNotFound, SiteNotInWorkspace } from "@edp/domain/errors/ApiErrors"

/** The workspace of each site that exists. */
export type SiteOwners = ReadonlyMap<string, string>

/** What is wrong with the first site that cannot be given, if one cannot. */
export const refusedSite = (
  workspaceId: string,
  siteIds: ReadonlyArray<string>,
  owners: SiteOwners
): SiteNotFound | SiteNotInWorkspace | undefined => {
  const refused = siteIds.find((id) => owners.get(id) !== workspaceId)
  if (refused === undefined) return undefined
  return owners.has(refused) ? new SiteNotInWorkspace({}) : new SiteNotFound({})
}
