import type { SearchType } from "@edp/domain/search/SearchResult"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { searchedAccounts } from "../accounts/searchedAccountTable.ts"
import { searchedCustomers } from "../customers/searchedCustomerTable.ts"
import { devicesAtSites, searchedDevices } from "../devices/searchedDeviceTable.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { makeTextSearch } from "../platform/sql/textSearch.ts"
import { query } from "../platform/sql/transaction.ts"
import { searchedInstances } from "../programs/searchedInstanceTable.ts"
import { searchedSites } from "../sites/searchedSiteTable.ts"
import type { FoundRecord } from "./rank.ts"

type Records = Effect.Effect<ReadonlyArray<FoundRecord>, DatabaseUnavailable>

interface Searches {
  /** Records that contain the words; `whole` is the query. */
  readonly containing: (workspaceId: string, whole: string, words: ReadonlyArray<string>) => Records
  readonly similar: (workspaceId: string, words: ReadonlyArray<string>) => Records
}

/** Devices that are shown of a site that was found. */
const DEVICES_OF_SITE = 5

/** Searches in the tables of their owners. */
export const SearchRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { containing, searching, similar } = yield* makeTextSearch

  const searches: Readonly<Record<SearchType, Searches>> = {
    device: {
      containing: (...given) => containing(searchedDevices, ...given),
      similar: (...given) => similar(searchedDevices, ...given)
    },
    site: {
      containing: (...given) => containing(searchedSites, ...given),
      similar: (...given) => similar(searchedSites, ...given)
    },
    customer: {
      containing: (...given) => containing(searchedCustomers, ...given),
      similar: (...given) => similar(searchedCustomers, ...given)
    },
    account: {
      containing: (...given) => containing(searchedAccounts, ...given),
      similar: (...given) => similar(searchedAccounts, ...given)
    },
    programInstance: {
      containing: (...given) => containing(searchedInstances, ...given),
      similar: (...given) => similar(searchedInstances, ...given)
    }
  }

  return {
    searching,
    searches,
    devicesAtSites: (workspaceId: string, siteIds: ReadonlyArray<string>) =>
      query(devicesAtSites(sql, workspaceId, siteIds, DEVICES_OF_SITE))
  }
})
