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
        "Idempotent: 201 when the device is created, 200 when it exists and every given field equals what provisioning last sent, PARAMETER_MISMATCH with the differing fields otherwise. A device that was removed from its workspace is associated again: 201 with the same id."
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
          "Up to 1000 readings of any of the key's devices, named by deviceId or manufacturerDeviceId. A bad reading is listed in `errors` and does not sink the others. Answered after the commit."
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
          "One reading, or up to 1000 in `readings`, stored all or none. A reading of the same device and timestamp counts as a duplicate and is not stored twice; one that comes late is stored, and the current state stays the newest. Answered after the commit: what was answered 200 survives a crash."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Direct integration",
      description:
        "Manufacturers and operators of devices provision their devices and push telemetry, with a MANUFACTURER key. A reading that was answered 200 is stored. The same operations are served under `/v1` as well."
    })
  ) {}
