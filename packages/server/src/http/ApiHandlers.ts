import { Api } from "@edp/domain/Api"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AlertsHandlers } from "../alerts/AlertsHandlers.ts"
import { ApiKeysHandlers } from "../api-keys/ApiKeysHandlers.ts"
import { DeviceModelsHandlers } from "../device-models/DeviceModelsHandlers.ts"
import { DevicesHandlers } from "../devices/DevicesHandlers.ts"
import { ManufacturersHandlers } from "../manufacturers/ManufacturersHandlers.ts"
import { OrganizationsHandlers } from "../organizations/OrganizationsHandlers.ts"
import { SitesHandlers } from "../sites/SitesHandlers.ts"
import { WorkspacesHandlers } from "../workspaces/WorkspacesHandlers.ts"

const missing = (name: string) =>
  HttpApiBuilder.group(Api, name as never, ((handlers: any) => handlers.handleAll(Object.fromEntries([...Object.keys((Api as any).groups[name].endpoints ?? {})].map((k) => [k, () => Effect.die(new Error(`no handler ${name}.${k}`))])))) as never) as Layer.Layer<any>
export const ApiHandlers = Layer.mergeAll(
  OrganizationsHandlers,
  WorkspacesHandlers,
  ApiKeysHandlers,
  ManufacturersHandlers,
  DeviceModelsHandlers,
  SitesHandlers,
  DevicesHandlers,
  AlertsHandlers,
  ...["directIntegration"].map(missing) as any
) as Layer.Layer<any, never, any>
