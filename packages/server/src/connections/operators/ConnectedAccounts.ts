import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  ACCOUNT_DEVICES_LIMIT,
  type ConnectedAccount,
  type ConnectedAccountFilters
} from "@edp/domain/connections/ConnectedAccount"
import type { PageOf } from "@edp/domain/shared/Page"
import { Context, Effect, Layer, type Schema } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../../platform/sql/lists.ts"
import { iso, isoOrNull } from "../../platform/sql/records.ts"
import { type ConnectedAccountRow, ConnectedAccountsRepository } from "./ConnectedAccountsRepository.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof ConnectedAccountFilters>

const toAccount = ({ customerId, customerName, ...row }: ConnectedAccountRow): ConnectedAccount => ({
  ...row,
  customer: customerId === null ? null : { id: customerId, name: customerName ?? customerId },
  credentialsExpireAt: isoOrNull(row.credentialsExpireAt),
  renewAt: isoOrNull(row.renewAt),
  createdAt: iso(row.createdAt),
  connectedAt: isoOrNull(row.connectedAt),
  disconnectedAt: isoOrNull(row.disconnectedAt)
})

/** Lists the connected accounts for operators. */
export class ConnectedAccounts extends Context.Service<
  ConnectedAccounts,
  { readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<ConnectedAccount>, DatabaseUnavailable> }
>()("@edp/server/ConnectedAccounts") {
  static readonly layer = Layer.effect(
    ConnectedAccounts,
    Effect.gen(function* () {
      const repository = yield* ConnectedAccountsRepository
      return {
        list: Effect.fn("ConnectedAccounts.list")(function* ({ workspaceId }, { manufacturer, status, ...paging }) {
          const filters = { manufacturer, status }
          const list = (limit: number, offset: number) =>
            repository.list(workspaceId, filters, ACCOUNT_DEVICES_LIMIT, limit, offset)
          const { data, ...rest } = yield* paginate(paging, 10, list, repository.count(workspaceId, filters))
          return { ...rest, data: data.map(toAccount) }
        })
      }
    })
  )
}
