import { Clock, Effect, Schema } from "effect"
import { AdapterError } from "../AdapterError.ts"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import type { AdapterInstance, FormField, ManufacturerAdapter } from "../ManufacturerAdapter.ts"
import {
  addressAt,
  enteredAddress,
  enteredChoice,
  enteredText,
  enteredTransport,
  nameField,
  text,
  transportFields
} from "./formFields.ts"
import { refusedReport } from "./localAccess.ts"
import { makeModbusClient, type ModbusAddress, type ModbusTimes, modbusTimes, transports } from "./ModbusClient.ts"
import { makeRenewals } from "./Renewals.ts"
import type { DriverAccount, FormValues, ModbusDriver } from "./ModbusDriver.ts"

/** A device in the operator's or a person's network. The address may change; the external id of the account stays. */
const Credentials = Schema.Struct({
  host: Schema.String,
  port: Schema.Int,
  transport: Schema.optionalKey(Schema.Literals(transports)),
  fingerprint: Schema.optionalKey(Schema.NullOr(Schema.String)),
  givenName: Schema.NullOr(Schema.String),
  driver: Schema.String,
  config: Schema.Json
})
type Credentials = typeof Credentials.Type

export type ModbusAdapter = ManufacturerAdapter<{}, Credentials>

export interface ModbusManufacturer {
  readonly slug: string
  readonly name: string
  /** At least one; a person chooses among several. */
  readonly drivers: ReadonlyArray<ModbusDriver>
  readonly provenAgainst?: string
}

/** Seconds. A reading takes a few requests in the local network; inverters do nothing at night. */
const polling = { busy: 10, normal: 15, idle: 60, asleep: 60, discovery: 3600 } as const

const distinct = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(all)]

const driverField = (drivers: ReadonlyArray<ModbusDriver>): FormField => ({
  name: "model",
  kind: "choice",
  label: text("Model", "Modelo", "Modell"),
  choices: drivers.map(({ key, name }) => ({ value: key, label: { en: name } })),
  initial: drivers[0]!.key,
  required: true
})

const reach = (address: ModbusAddress, { connectDelay }: ModbusDriver): ModbusAddress => ({
  ...address,
  ...(connectDelay !== undefined && { connectDelay })
})

const usualPort = ({ port = 502 }: ModbusDriver) => port

/** In the order of `transports`, so that the first one is the usual one. */
const offeredTransports = (drivers: ReadonlyArray<ModbusDriver>) =>
  transports.filter((one) => drivers.some((driver) => (driver.transports ?? ["tcp"]).includes(one)))

/** The form: fields of several drivers with one name are one field, which then has no value from the start. */
const formFields = (drivers: ReadonlyArray<ModbusDriver>): ReadonlyArray<FormField> => {
  const address = [...addressAt(drivers.map(usualPort)), ...transportFields(offeredTransports(drivers))]
  if (drivers.length === 1) return [...address, ...drivers[0]!.fields, nameField]
  const own = new Map<string, FormField>()
  for (const field of drivers.flatMap(({ fields }) => fields)) {
    const { initial: _, ...open } = field
    own.set(field.name, { ...open, required: false })
  }
  return [driverField(drivers), ...address, ...own.values(), nameField]
}

/** The adapter of a manufacturer's devices over Modbus TCP. */
export const modbusAdapter = (
  { drivers, name, provenAgainst, slug }: ModbusManufacturer,
  times: ModbusTimes = modbusTimes
): ModbusAdapter => {
  const commands = distinct(drivers.flatMap((driver) => driver.commands))
  return {
    manifest: {
      slug,
      name,
      deviceTypes: distinct(drivers.flatMap(({ deviceTypes }) => deviceTypes)),
      commands,
      authorization: "form",
      polling,
      quotas: [],
      confirmWithin: 60,
      products: drivers.map(({ commands, deviceTypes, name, provenAgainst: own }) => ({
        name,
        deviceTypes,
        commands,
        ...(own !== undefined && { provenAgainst: own })
      })),
      ...(provenAgainst !== undefined && { provenAgainst })
    },
    settings: Schema.Struct({}),
    credentials: Credentials,
    create: Effect.fnUntraced(function* (_, host) {
      const client = yield* makeModbusClient(host, times)
      const renewals = yield* makeRenewals({ client, host })

      const findDriver = (key: string) => drivers.find((driver) => driver.key === key)

      /** The driver of an account with its account. */
      const resolve = Effect.fnUntraced(function* (account: {
        readonly externalId: string
        readonly credentials: Credentials
        readonly memory: unknown
      }) {
        const { credentials, externalId, memory } = account
        const driver = findDriver(credentials.driver)
        if (driver === undefined) {
          return yield* AdapterError.of("misconfigured", `There is no template ${credentials.driver} any more`)
        }
        const config = yield* Effect.mapError(Schema.decodeUnknownEffect(driver.config)(credentials.config), () =>
          AdapterError.of("misconfigured", `The device has to be linked again: ${driver.name} has changed`)
        )
        const own: DriverAccount<any> = {
          externalId,
          memory,
          config,
          givenName: credentials.givenName,
          renewals: renewals(externalId, reach(credentials, driver))
        }
        return { driver, own, address: reach(credentials, driver) }
      })

      const connect = Effect.fnUntraced(function* (values: FormValues) {
        const chosen = drivers.length === 1 ? drivers[0] : findDriver(enteredChoice(values, driverField(drivers))!)
        const driver = chosen!
        const address = {
          ...(yield* enteredAddress({
            ...values,
            port: enteredText(values, "port") ?? String(usualPort(driver))
          })),
          ...(yield* enteredTransport(values, offeredTransports([driver])))
        }
        const found = yield* client.use(reach(address, driver), (open) => driver.connect(open, values))
        const config = yield* Effect.orDie(Schema.encodeEffect(driver.config)(found.config))
        const givenName = enteredText(values, "name") ?? null
        return {
          externalId: found.serial ?? `${address.host.toLowerCase()}:${address.port}:${found.unitId}`,
          name: givenName ?? found.name,
          credentials: { ...address, givenName, driver: driver.key, config },
          expiresAt: null
        }
      })

      const control: Pick<AdapterInstance<Credentials>, "sendCommand" | "restore" | "confirms"> = commands.length === 0
        ? {}
        : {
            sendCommand: (account, request) =>
              Effect.flatMap(resolve(account), ({ address, driver, own }) =>
                client.use(address, (open) => driver.command(open, own, request))
              ),
            restore: (account, request) =>
              Effect.flatMap(resolve(account), ({ address, driver, own }) =>
                client.use(address, (open) => driver.restore(open, own, request))
              ),
            // Commands are complete when they return; this is for one whose end a crash has hidden.
            confirms: ({ input, type }, { state }, before) => confirmByState(type, input, state, before)
          }

      return {
        authorization: { kind: "form", fields: formFields(drivers), connect },
        discoverDevices: (account) =>
          Effect.flatMap(resolve(account), ({ address, driver, own }) =>
            client.use(address, (open) => driver.discover(open, own))
          ),
        readDevices: (account, devices) =>
          Effect.flatMap(resolve(account), ({ address, driver, own }) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              client
                .use(address, (open) => driver.read(open, own, now))
                .pipe(
                  Effect.catchIf(
                    ({ intervention }) => intervention === "local_access_disabled" && devices.length > 0,
                    () => Effect.succeed(refusedReport(devices, commands, now))
                  )
                )
            )
          ),
        ...control
      }
    })
  }
}
