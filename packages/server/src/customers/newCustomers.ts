import { CreateCustomer } from "@edp/domain/customers/Customer"
import { type BulkFailure, type BulkItem, bulkFailure, decodeItems } from "@edp/domain/errors/Bulk"
import { invalid } from "@edp/domain/errors/ApiErrors"
import { refusedSite, type SiteOwners } from "./givenSites.ts"

export type NewCustomer = BulkItem<CreateCustomer>

export const newCustomers = decodeItems(CreateCustomer)

export const referenceTaken = () => invalid({ referenceId: "Another customer of the workspace has this referenceId" })

/** Who may be created among the sites that exist. Of several with one referenceId the first that may. */
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
