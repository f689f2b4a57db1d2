import { Layer } from "effect"
import * as manufacturers from "../manufacturers/layer.ts"
import { GuardedHttp } from "../platform/outbound/GuardedHttp.ts"
import { AdapterHosts } from "./AdapterHosts.ts"
import { AdapterRecordsRepository } from "./AdapterRecordsRepository.ts"
import { Accounts } from "./Accounts.ts"
import { Adapters } from "./Adapters.ts"

const adapters = Adapters.layer.pipe(
  Layer.provide(AdapterHosts.layer.pipe(Layer.provide([AdapterRecordsRepository.layer, GuardedHttp.layer]))),
  Layer.provide(manufacturers.layer)
)

export const layer = Accounts.layer.pipe(Layer.provideMerge(adapters))
