import { randomBytes, randomInt } from "node:crypto"
import { Effect, Schema } from "effect"
import { AdapterError, ID_TAKEN } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { FormField, Instruction, LinkedAccount } from "@edp/adapter-kit/ManufacturerAdapter"
import { hashedPassword, isStationId } from "./stationLogin.ts"

/** A station's password, hashed with a salt of its own. */
export const StationCredentials = Schema.Struct({ salt: Schema.String, hash: Schema.String })
export type StationCredentials = typeof StationCredentials.Type

/** The path to which stations connect, followed by their id. */
export const STATION_PATH = "/ocpp/"

export const invitationFields: ReadonlyArray<FormField> = [
  {
    name: "stationId",
    kind: "text",
    label: { en: "Station id", es: "Identificador de la estación" },
    help: {
      en: "The id under which the station connects, if it has a fixed one, such as its serial number. Leave it empty to get one.",
      es: "El identificador con el que se conecta la estación, si tiene uno fijo, como su número de serie. Déjelo vacío para obtener uno."
    },
    required: false
  }
]

/** Leaves out letters and digits that look alike, because a person copies the id. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const newStationId = () => `EDP-${Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("")}`

const PASSWORD_BYTES = 16
const SALT_BYTES = 16

/** Hexadecimal digits are a valid AuthorizationKey in every reading of the standard: as text, and as the bytes that 1.6 takes from it. */
const newPassword = () => randomBytes(PASSWORD_BYTES).toString("hex")

const webSocketUrl = (publicUrl: string) => `${publicUrl.replace(/^http/, "ws")}${STATION_PATH}`

const instructionsFor = (address: string, stationId: string, password: string): ReadonlyArray<Instruction> => [
  {
    label: { en: "Address of the central system", es: "Dirección del sistema central" },
    value: address.slice(0, -1),
    secret: false
  },
  { label: { en: "Station id", es: "Identificador de la estación" }, value: stationId, secret: false },
  {
    label: {
      en: "Address with the station id, where the station asks for one address only",
      es: "Dirección con el identificador, si la estación solo pide una dirección"
    },
    value: `${address}${encodeURIComponent(stationId)}`,
    secret: false
  },
  { label: { en: "Password (AuthorizationKey)", es: "Contraseña (AuthorizationKey)" }, value: password, secret: true }
]

/** Creates an account that waits for a station, and returns what to enter at the station. */
export const invite = Effect.fn("ocpp.invite")(function* (host: AdapterHost, values: Readonly<Record<string, string>>) {
  const entered = (values["stationId"] ?? "").trim()
  const stationId = entered === "" ? newStationId() : entered
  if (!isStationId(stationId))
    return yield* AdapterError.of(
      "misconfigured",
      "The station id must have 1 to 48 characters: letters without accents, digits, and * - _ = : + | @ ."
    )
  const known = yield* host.findAccount(stationId)
  if (known !== undefined && !known.pending)
    return yield* AdapterError.of("misconfigured", ID_TAKEN, { connectedAs: stationId })
  const password = newPassword()
  const account: LinkedAccount<StationCredentials> = {
    externalId: stationId,
    name: `Charging station ${stationId}`,
    credentials: hashedPassword(randomBytes(SALT_BYTES).toString("hex"), password),
    expiresAt: null
  }
  return { account, instructions: instructionsFor(webSocketUrl(host.publicUrl), stationId, password) }
})
