import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NeedsBody, describe } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import { Device } from "../devices/Device.ts"
import {
  DeviceModelManufacturerMismatch,
  DeviceModelNotFound,
  DeviceNotAssociated,
  DeviceNotFound,
  DeviceNotOemDirect,
  ManufacturerNotAllowed,
  ParameterMismatch,
  SiteNotFound,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import {
  BulkTelemetryAccepted,
  ProvisionDevice,
  PushBulkTelemetry,
  PushTelemetry,
  TelemetryAccepted
} from "./DirectIntegration.ts"

const manufacturer = ["MANUFACTURER"] as const

export class DirectIntegrationApi extends HttpApiGroup.make("directIntegration")
  .add(
    HttpApiEndpoint.post("provision", "/devices", {
      payload: ProvisionDevice,
      success: [Device.pipe(HttpApiSchema.status(201)), Device.pipe(HttpApiSchema.status(200))],
      error: [ValidationError, DeviceModelNotFound, SiteNotFound, DeviceModelManufacturerMismatch, ParameterMismatch]
    }).annotateMerge(
      describe(
        manufacturer,
        "Provision a device",
        "Idempotent. 201 if the device is created; 200 if it exists and every given field equals the last provisioned value; otherwise PARAMETER_MISMATCH with the names of the differing fields. A device that was deleted from its workspace is associated with it again: 201 with the same id."
      )
    ),
    HttpApiEndpoint.post("pushBulk", "/devices/telemetry", {
      payload: PushBulkTelemetry,
      success: BulkTelemetryAccepted,
      error: ValidationError
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          manufacturer,
          "Push telemetry of many devices",
          "Up to 1000 readings of devices in the key's scope, identified by deviceId or manufacturerDeviceId. An invalid reading is listed in `errors` and does not affect the others. The response is sent after the readings are committed."
        )
      ),
    HttpApiEndpoint.post("push", "/devices/:id/telemetry", {
      params: { id: PathId },
      payload: PushTelemetry,
      success: TelemetryAccepted,
      error: [ValidationError, DeviceNotFound, ManufacturerNotAllowed, DeviceNotOemDirect, DeviceNotAssociated]
    })
      .annotate(RateClassOf, "readings")
      .annotate(NeedsBody, true)
      .annotateMerge(
        describe(
          manufacturer,
          "Push telemetry of a device",
          "One reading, or up to 1000 in `readings` that are stored all or none. A second reading of the same device and timestamp counts as a duplicate and is not stored. A late reading is stored; the current state remains the newest reading. The response is sent after the commit: a reading that was answered with 200 survives a crash."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Direct integration",
      description:
        "Manufacturers and operators provision devices and push telemetry with a MANUFACTURER key. A reading that was answered with 200 is stored. The same operations are also served under `/v1`."
    })
  ) {}
