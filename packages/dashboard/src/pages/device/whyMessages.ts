import { defineMessages } from "../../i18n/language.ts"
import type { Cause } from "./connection.ts"

type Texts = Readonly<Record<Cause, string>>

const sentences: { readonly en: Texts; readonly es: Texts } = {
  en: {
    sign_in: "The account has lost its access to the manufacturer. Only a new sign-in restores it.",
    disconnected: "The device is disconnected: nothing is read from it.",
    paused: "The manufacturer has asked the service to wait before the next request.",
    setup: "The manufacturer or the device refuses the requests of the service.",
    network: "The device does not respond.",
    manufacturer: "The manufacturer's service fails or sends something unexpected.",
    source: "The source of this device has stopped sending readings. The service asks for none.",
    silent: "The account is read without an error, but has no new reading of this device.",
    never: "No reading of this device has arrived yet."
  },
  es: {
    sign_in: "La cuenta perdió el acceso al fabricante. Solo un nuevo inicio de sesión lo restablece.",
    disconnected: "El dispositivo está desconectado: no se lee nada de él.",
    paused: "El fabricante pidió al servicio que espere antes de la próxima solicitud.",
    setup: "El fabricante o el dispositivo rechaza las solicitudes del servicio.",
    network: "El dispositivo no responde.",
    manufacturer: "El servicio del fabricante falla o envía algo inesperado.",
    source: "El origen de este dispositivo dejó de enviar lecturas. El servicio no pide ninguna.",
    silent: "La cuenta se lee sin errores, pero no hay lecturas nuevas de este dispositivo.",
    never: "Todavía no ha llegado ninguna lectura de este dispositivo."
  }
}

export const whyMessages = defineMessages({
  en: {
    statuses: {
      online: "Online",
      asleep: "Asleep",
      offline: "Offline",
      unknown: "Never reported",
      unanswered: "Not responding",
      last_known: "Last known: online"
    },
    title: "Why",
    connection: "Connection",
    causes: sentences.en,
    alertsOnly: "The connection works. These alerts are open:",
    alerts: "Open alerts",
    noAlerts: "none",
    allAlerts: (count: string) => `All ${count} alerts`,
    account: "Account",
    noAccount: "none: its manufacturer sends the readings",
    accountStatuses: { connected: "connected", failed: "access lost", disconnected: "disconnected" },
    lastError: "Last error",
    noError: "none",
    failures: (count: number) => (count === 1 ? "1 failed attempt" : `${count} failed attempts in a row`),
    lastReading: "Last reading",
    next: "Next attempt",
    working: "in progress",
    noNext: "none",
    overdue: "due now",
    paused: (time: string) => `paused until ${time}`,
    openAccount: "Open the account",
    connect: "Open connections",
    checkNetwork: "Check the network",
    guide: "Connection guide",
    steps: {
      network: [
        "Check that the device has power.",
        "Check that it is connected to the network at the site, and that the site has internet access.",
        "Open the manufacturer's app. If the device is offline there as well, its owner restarts it and its router.",
        "For a device in your own network, open its address from the computer that runs the service."
      ],
      manufacturer: [
        "Read the last error: it is in the words of the adapter.",
        "Look at the manufacturer's app or status page: the failure may concern all of its customers.",
        "Wait for the next attempt: the service tries again by itself. If other accounts of the manufacturer work, sign in to this one again."
      ],
      source: [
        "Check that the system which sends the readings is running.",
        "Check that its MANUFACTURER key is valid, on the page Keys.",
        "Check the responses that it gets: a refused reading is not stored."
      ],
      guide: [
        "Read the last error: it is in the words of the manufacturer.",
        "In the manufacturer's app or portal, allow access by other services, accept new terms, and pair the device if it asks for it.",
        "Sign in to the account again and grant every permission that is asked for.",
        "If the error remains, check the settings of the manufacturer in the configuration of this service."
      ]
    }
  },
  es: {
    statuses: {
      online: "En línea",
      asleep: "Dormido",
      offline: "Sin conexión",
      unknown: "Nunca ha comunicado",
      unanswered: "No responde",
      last_known: "Último estado: en línea"
    },
    title: "Por qué",
    connection: "Conexión",
    causes: sentences.es,
    alertsOnly: "La conexión funciona. Estas alertas están abiertas:",
    alerts: "Alertas abiertas",
    noAlerts: "ninguna",
    allAlerts: (count: string) => `Las ${count} alertas`,
    account: "Cuenta",
    noAccount: "ninguna: su fabricante envía las lecturas",
    accountStatuses: { connected: "conectada", failed: "acceso perdido", disconnected: "desconectada" },
    lastError: "Último error",
    noError: "ninguno",
    failures: (count: number) => (count === 1 ? "1 intento fallido" : `${count} intentos fallidos seguidos`),
    lastReading: "Última lectura",
    next: "Próximo intento",
    working: "en curso",
    noNext: "ninguno",
    overdue: "ahora",
    paused: (time: string) => `en pausa hasta ${time}`,
    openAccount: "Abrir la cuenta",
    connect: "Abrir conexiones",
    checkNetwork: "Comprobar la red",
    guide: "Guía de conexión",
    steps: {
      network: [
        "Compruebe que el dispositivo tiene corriente.",
        "Compruebe que está conectado a la red de la instalación y que esta tiene acceso a internet.",
        "Abra la aplicación del fabricante. Si tampoco hay conexión allí, el propietario reinicia el dispositivo y su router.",
        "Si el dispositivo está en su propia red, abra su dirección desde el ordenador que ejecuta el servicio."
      ],
      manufacturer: [
        "Lea el último error: está en palabras del adaptador.",
        "Mire la aplicación o la página de estado del fabricante: el fallo puede afectar a todos sus clientes.",
        "Espere el próximo intento: el servicio lo repite por sí mismo. Si otras cuentas del fabricante funcionan, inicie sesión de nuevo en esta."
      ],
      source: [
        "Compruebe que funciona el sistema que envía las lecturas.",
        "Compruebe en la página Claves que su clave MANUFACTURER es válida.",
        "Compruebe las respuestas que recibe: una lectura rechazada no se guarda."
      ],
      guide: [
        "Lea el último error: está en palabras del fabricante.",
        "En la aplicación o el portal del fabricante, permita el acceso de otros servicios, acepte las nuevas condiciones y empareje el dispositivo si lo pide.",
        "Inicie sesión de nuevo en la cuenta y conceda todos los permisos que se piden.",
        "Si el error continúa, revise los ajustes del fabricante en la configuración de este servicio."
      ]
    }
  }
})
