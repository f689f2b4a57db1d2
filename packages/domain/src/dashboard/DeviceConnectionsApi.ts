import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { DeviceNotFound } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { DeviceConnection } from "./DeviceConnection.ts"

export class DeviceConnectionsApi extends HttpApiGroup.make("deviceConnections")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/devices/:id/connection", {
      params: { id: PathId },
      success: DeviceConnection,
      error: DeviceNotFound
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the connection of a device",
        "How the device is reached: its account with the last failure in the words of its adapter, and when the service tries next."
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Device connections", description: "How devices are reached." })) {}
