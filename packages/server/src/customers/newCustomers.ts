import { CreateCustomer } from "@edp/domain/customers/Customer"
import { SiteNotFound, SiteNotInWorkspace, invalid } from "@edp/domain/errors/ApiErrors"
import { type BulkFailure, type BulkItem, bulkFailure, decodeItems } from "@edp/domain/errors/Bulk"

/** The workspace of each site that exists. */
export type SiteOwners = ReadonlyMap<string, string>

/** The error for the first site that the workspace does not have. */
export const refusedSite = (
  workspaceId: string,
  siteIds: ReadonlyArray<string>,
  owners: SiteOwners
): SiteNotFound | SiteNotInWorkspace | undefined => {
  const refused = siteIds.find((id) => owners.get(id) !== workspaceId)
  if (refused === undefined) return undefined
  return owners.has(refused) ? new SiteNotInWorkspace({}) : new SiteNotFound({})
}

export type NewCustomer = BulkItem<CreateCustomer>

export const newCustomers = decodeItems(CreateCustomer)

export const referenceTaken = () => invalid({ referenceId: "Another customer of the workspace has this referenceId" })

/** Splits the customers into those that can be created and failures. If several have the same referenceId, the first valid one is created. */
export const admit = (workspaceId: string, items: ReadonlyArray<NewCustomer>, owners: SiteOwners) => {
  const references = new Set<string>()
  const admitted: Array<NewCustomer> = []
  const failures: Array<BulkFailure> = []
  for (const item of items) {
    const { referenceId, siteIds = [] } = item.input
    const repeated = referenceId && references.has(referenceId) ? referenceTaken() : undefined
    const refusal = refusedSite(workspaceId, siteIds, owners) ?? repeated
    if (refusal !== undefined) failures.push(bulkFailure(item.index, refusal))
    else admitted.push(item)
    if (refusal === undefined && referenceId) references.add(referenceId)
  }
  return { admitted, failures }
}
