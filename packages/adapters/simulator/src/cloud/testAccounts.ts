import type { AccountFaultKind, SimulatedType } from "@edp/domain/accounts/Simulator"
import type { LocalizedText } from "@edp/adapter-kit/ManufacturerAdapter"
import type { Fault } from "../physics/faults.ts"
import type { SiteEvent } from "../physics/simulate.ts"
import type { SiteProfile } from "../physics/SiteProfile.ts"
import { allTypes, testHome } from "./testHomes.ts"

/** An account that every installation has, for one kind of success or failure. */
export interface TestAccount {
  readonly id: string
  readonly name: string
  readonly description: LocalizedText
  readonly types: ReadonlyArray<SimulatedType>
  readonly keyPaired: boolean
  readonly faults: ReadonlyArray<{ readonly kind: AccountFaultKind; readonly seconds?: number }>
  /** In force for all devices from the beginning. */
  readonly deviceFaults: ReadonlyArray<Fault>
  /** An event this many seconds after each sign-in. */
  readonly afterSignIn: { readonly seconds: number; readonly event: SiteEvent } | null
}

const account = (
  id: string,
  name: string,
  description: LocalizedText,
  more: Partial<Omit<TestAccount, "id" | "name" | "description">> = {}
): TestAccount => ({
  id,
  name,
  description,
  types: ["inverter", "battery", "meter"],
  keyPaired: true,
  faults: [],
  deviceFaults: [],
  afterSignIn: null,
  ...more
})

// prettier-ignore
export const testAccounts: ReadonlyArray<TestAccount> = [
  account("sunny", "Sunny", {
    en: "Everything works: a home with a device of each type",
    es: "Todo funciona: una casa con un dispositivo de cada tipo",
    de: "Alles funktioniert: ein Haus mit einem Gerät jedes Typs"
  }, { types: allTypes }),
  account("second", "Second", {
    en: "Everything works: another account, to reconnect with the wrong one",
    es: "Todo funciona: otra cuenta, para reconectar con la equivocada",
    de: "Alles funktioniert: ein weiteres Konto, um mit dem falschen neu zu verbinden"
  }),
  account("denies", "Denies", {
    en: "The sign-in is refused (access_denied)",
    es: "Se rechaza el inicio de sesión (access_denied)",
    de: "Die Anmeldung wird abgelehnt (access_denied)"
  }, { faults: [{ kind: "sign_in_denied" }] }),
  account("no-devices", "No devices", {
    en: "The account has no devices (no_devices)",
    es: "La cuenta no tiene dispositivos (no_devices)",
    de: "Das Konto hat keine Geräte (no_devices)"
  }, { faults: [{ kind: "no_devices" }] }),
  account("incompatible", "Incompatible", {
    en: "Its device cannot be read (device_incompatible)",
    es: "Su dispositivo no se puede leer (device_incompatible)",
    de: "Sein Gerät lässt sich nicht lesen (device_incompatible)"
  }, {
    types: ["inverter"],
    faults: [{ kind: "incompatible_devices" }]
  }),
  account("unavailable", "Unavailable", {
    en: "The manufacturer's service fails after the sign-in (manufacturer_unavailable)",
    es: "El servicio del fabricante falla tras el inicio de sesión (manufacturer_unavailable)",
    de: "Der Dienst des Herstellers fällt nach der Anmeldung aus (manufacturer_unavailable)"
  }, { faults: [{ kind: "sign_in_unavailable" }] }),
  account("misconfigured", "Misconfigured", {
    en: "The manufacturer does not know this platform (configuration_error)",
    es: "El fabricante no conoce esta plataforma (configuration_error)",
    de: "Der Hersteller kennt diese Plattform nicht (configuration_error)"
  }, { faults: [{ kind: "client_rejected" }] }),
  account("code-refused", "Code refused", {
    en: "The manufacturer refuses the authorization code (access_denied)",
    es: "El fabricante rechaza el código de autorización (access_denied)",
    de: "Der Hersteller lehnt den Autorisierungscode ab (access_denied)"
  }, { faults: [{ kind: "code_refused" }] }),
  account("garbled", "Garbled", {
    en: "The manufacturer responds to the sign-in with something that is no token (server_error)",
    es: "El fabricante responde al inicio de sesión con algo que no es un token (server_error)",
    de: "Der Hersteller beantwortet die Anmeldung mit etwas, das kein Token ist (server_error)"
  }, { faults: [{ kind: "garbled_tokens" }] }),
  account("revoked", "Revoked", {
    en: "The permission ends a minute after the sign-in",
    es: "El permiso termina un minuto después del inicio de sesión",
    de: "Die Berechtigung endet eine Minute nach der Anmeldung"
  }, { faults: [{ kind: "token_revoked", seconds: 60 }] }),
  account("refresh-refused", "Refresh refused", {
    en: "The access ends after a minute and is not renewed",
    es: "El acceso termina tras un minuto y no se renueva",
    de: "Der Zugang endet nach einer Minute und wird nicht erneuert"
  }, { faults: [{ kind: "refresh_refused", seconds: 60 }] }),
  account("rate-limited", "Rate limited", {
    en: "Readings are answered with 429 and Retry-After",
    es: "Las lecturas se responden con 429 y Retry-After",
    de: "Messwerte werden mit 429 und Retry-After beantwortet"
  }, { faults: [{ kind: "rate_limited", seconds: 60 }] }),
  account("slow", "Slow", {
    en: "Each response takes five seconds",
    es: "Cada respuesta tarda cinco segundos",
    de: "Jede Antwort dauert fünf Sekunden"
  }, { faults: [{ kind: "slow", seconds: 5 }] }),
  account("unpaired", "Not paired", {
    en: "The vehicle has no key of this platform (key_not_paired)",
    es: "El vehículo no tiene una llave de esta plataforma (key_not_paired)",
    de: "Das Fahrzeug hat keinen Schlüssel dieser Plattform (key_not_paired)"
  }, { types: ["charger", "vehicle"], keyPaired: false }),
  account("storm", "Storm", {
    en: "The battery is in storm mode and takes no commands (storm_mode)",
    es: "La batería está en modo tormenta y no acepta órdenes (storm_mode)",
    de: "Die Batterie ist im Sturmmodus und nimmt keine Befehle an (storm_mode)"
  }, { deviceFaults: [{ kind: "storm_mode" }] }),
  account("read-only", "Read only", {
    en: "The owner did not allow commands (scope_missing)",
    es: "La persona titular no permitió órdenes (scope_missing)",
    de: "Der Inhaber hat keine Befehle erlaubt (scope_missing)"
  }, { faults: [{ kind: "scope_missing" }] }),
  account("plan-required", "Plan required", {
    en: "Commands need a paid plan at the manufacturer (plan_required)",
    es: "Las órdenes requieren un plan de pago del fabricante (plan_required)",
    de: "Befehle brauchen einen bezahlten Tarif beim Hersteller (plan_required)"
  }, { faults: [{ kind: "plan_required" }] }),
  account("terms", "Terms", {
    en: "The manufacturer's new terms are not accepted (terms_not_accepted)",
    es: "No se aceptaron las nuevas condiciones del fabricante (terms_not_accepted)",
    de: "Die neuen Bedingungen des Herstellers sind nicht akzeptiert (terms_not_accepted)"
  }, { faults: [{ kind: "terms_not_accepted" }] }),
  account("counter-reset", "Counter reset", {
    en: "The lifetime counters begin at 0 again two minutes after the sign-in",
    es: "Los contadores vuelven a empezar en 0 dos minutos después del inicio de sesión",
    de: "Zwei Minuten nach der Anmeldung beginnen die Gesamtzähler wieder bei 0"
  }, { afterSignIn: { seconds: 120, event: { type: "counter_reset", deviceId: null } } }),
  account("offline", "Offline", {
    en: "All devices are offline",
    es: "Todos los dispositivos están sin conexión",
    de: "Alle Geräte sind offline"
  }, { deviceFaults: [{ kind: "offline" }] }),
  account("partial", "Partial", {
    en: "The battery reports no percentage, and a wrong charge",
    es: "La batería no informa de su porcentaje y da una carga equivocada",
    de: "Die Batterie meldet keinen Prozentwert und eine falsche Ladung"
  }, {
    deviceFaults: [
      { kind: "partial_fields", fields: ["chargePercentage"] },
      { kind: "wrong_units", fields: ["charge"], factor: 0.001 }
    ]
  })
]

export const findTestAccount = (id: string): TestAccount | undefined => testAccounts.find((one) => one.id === id)

/** The home of a test account. */
export const testAccountHome = ({ id, keyPaired, types }: TestAccount, startsAt: number): SiteProfile =>
  testHome(
    id,
    testAccounts.findIndex((one) => one.id === id),
    startsAt,
    types,
    keyPaired
  )
