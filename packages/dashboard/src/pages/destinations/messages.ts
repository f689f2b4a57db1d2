import type { DestinationType, DeviceGroup } from "@edp/domain/destinations/Destination"
import { defineMessages } from "../../i18n/language.ts"
import type { FormProblem } from "./destinationForm.ts"

const types: {
  readonly en: Readonly<Record<DestinationType, string>>
  readonly es: Readonly<Record<DestinationType, string>>
} = {
  en: {
    WEBHOOK: "Webhook",
    EMAIL: "E-mail",
    SMS: "SMS",
    KAFKA: "Kafka",
    MANUFACTURER_COMMAND: "Commands to a manufacturer"
  },
  es: {
    WEBHOOK: "Webhook",
    EMAIL: "Correo",
    SMS: "SMS",
    KAFKA: "Kafka",
    MANUFACTURER_COMMAND: "Órdenes a un fabricante"
  }
}

const groups: {
  readonly en: Readonly<Record<DeviceGroup, string>>
  readonly es: Readonly<Record<DeviceGroup, string>>
} = {
  en: {
    ALL: "All devices",
    BATTERIES: "Batteries",
    CHARGERS: "Chargers",
    SOLAR_INVERTERS: "Solar inverters",
    THERMOSTATS: "Thermostats",
    VEHICLES: "Vehicles",
    OTHER: "Meters, water heaters and others",
    UNKNOWN: "Devices of unknown type"
  },
  es: {
    ALL: "Todos los dispositivos",
    BATTERIES: "Baterías",
    CHARGERS: "Cargadores",
    SOLAR_INVERTERS: "Inversores solares",
    THERMOSTATS: "Termostatos",
    VEHICLES: "Vehículos",
    OTHER: "Contadores, calentadores y otros",
    UNKNOWN: "Dispositivos de tipo desconocido"
  }
}

const problems: {
  readonly en: Readonly<Record<FormProblem, string>>
  readonly es: Readonly<Record<FormProblem, string>>
} = {
  en: {
    types: "Choose at least one type.",
    url: "This must be a URL with http or https.",
    email: "This must be an e-mail address.",
    phone: "This must be a number such as +19165550142.",
    headers: "Each line must be a header, such as X-Team: operations.",
    brokers: "Each line must be host:port, such as kafka-1.example.com:9092.",
    manufacturer: "This must be the short name of a manufacturer, such as acme."
  },
  es: {
    types: "Elija al menos un tipo.",
    url: "Debe ser una URL con http o https.",
    email: "Debe ser una dirección de correo.",
    phone: "Debe ser un número como +19165550142.",
    headers: "Cada línea debe ser una cabecera, como X-Team: operations.",
    brokers: "Cada línea debe ser host:puerto, como kafka-1.example.com:9092.",
    manufacturer: "Debe ser el nombre corto de un fabricante, como acme."
  }
}

export const messages = defineMessages({
  en: {
    title: "Destinations",
    lead: "Receivers of this workspace's events.",
    create: "New destination",
    caption: "Destinations, newest first",
    name: "Name",
    type: "Kind",
    state: "State",
    waiting: "Waiting",
    failed: "Failed",
    events: "Event types",
    created: "Created",
    allTypes: "All kinds",
    none: "No destinations yet",
    noneHint: "A destination gets the events that happen after its creation: by webhook, e-mail, SMS or Kafka.",
    noMatch: "No destination is of this kind",
    types: types.en,
    groups: groups.en,
    problems: problems.en,
    active: "active",
    deactivated: "deactivated",
    failing: "failing",
    paused: "paused",
    atLeast: (count: string) => `${count} or more`,
    editTitle: "Edit the destination",
    createTitle: "New destination",
    saved: "The destination is saved.",
    label: "Name",
    labelHint: "A display name; emails show it.",
    url: "URL",
    urlHint: "Events are posted there. Only its host is shown in lists.",
    email: "E-mail address",
    phoneNumber: "Telephone number",
    phoneHint: "With country code, such as +19165550142.",
    manufacturer: "Manufacturer",
    manufacturerHint: "Its short name. Commands for its directly integrated devices are posted to the URL.",
    headers: "Additional request headers",
    headersHint: "One per line, such as X-Team: operations.",
    secret: "Signing secret",
    secretHint: "Leave this empty to have one generated. It is shown once after the creation.",
    brokers: "Brokers",
    brokersHint: "One per line, host:port.",
    topic: "Topic",
    clientId: "Client id",
    clientIdHint: "edp if empty.",
    ssl: "Use TLS",
    mechanism: "Authentication",
    noAuthentication: "None",
    username: "User name",
    password: "Password",
    passwordKept: "Leave it as it is to keep the stored password.",
    eventTypes: "Event types",
    selectAll: "Select all",
    selectNone: "Select none",
    deviceType: "Devices",
    deviceTypeHint: "Events without a device are always delivered.",
    includeWeather: "Add the weather at the site to each event",
    createAction: "Create",
    secretTitle: "The signing secret",
    secretLead:
      "The receiver checks the signature of each delivery with it. It can be shown again only within 10 minutes after a sign-in."
  },
  es: {
    title: "Destinos",
    lead: "Receptores de los eventos de este espacio de trabajo.",
    create: "Nuevo destino",
    caption: "Destinos, los más recientes primero",
    name: "Nombre",
    type: "Clase",
    state: "Estado",
    waiting: "En espera",
    failed: "Fallidas",
    events: "Tipos de evento",
    created: "Creado",
    allTypes: "Todas las clases",
    none: "Todavía no hay destinos",
    noneHint: "Un destino recibe los eventos posteriores a su creación: por webhook, correo, SMS o Kafka.",
    noMatch: "Ningún destino es de esta clase",
    types: types.es,
    groups: groups.es,
    problems: problems.es,
    active: "activo",
    deactivated: "desactivado",
    failing: "con fallos",
    paused: "en pausa",
    atLeast: (count: string) => `${count} o más`,
    editTitle: "Editar el destino",
    createTitle: "Nuevo destino",
    saved: "El destino está guardado.",
    label: "Nombre",
    labelHint: "Un nombre para las personas; los correos lo muestran.",
    url: "URL",
    urlHint: "Allí se envían los eventos. En las listas solo se muestra su host.",
    email: "Dirección de correo",
    phoneNumber: "Número de teléfono",
    phoneHint: "Con prefijo de país, como +19165550142.",
    manufacturer: "Fabricante",
    manufacturerHint: "Su nombre corto. Las órdenes para sus dispositivos de integración directa se envían a la URL.",
    headers: "Cabeceras adicionales",
    headersHint: "Una por línea, como X-Team: operations.",
    secret: "Secreto de firma",
    secretHint: "Déjelo vacío para generar uno. Se muestra una vez tras la creación.",
    brokers: "Brokers",
    brokersHint: "Uno por línea, host:puerto.",
    topic: "Tema (topic)",
    clientId: "Id de cliente",
    clientIdHint: "edp si está vacío.",
    ssl: "Usar TLS",
    mechanism: "Autenticación",
    noAuthentication: "Ninguna",
    username: "Usuario",
    password: "Contraseña",
    passwordKept: "Déjela como está para conservar la contraseña guardada.",
    eventTypes: "Tipos de evento",
    selectAll: "Seleccionar todos",
    selectNone: "Ninguno",
    deviceType: "Dispositivos",
    deviceTypeHint: "Los eventos sin dispositivo se entregan siempre.",
    includeWeather: "Añadir a cada evento el tiempo en la instalación",
    createAction: "Crear",
    secretTitle: "El secreto de firma",
    secretLead:
      "El receptor comprueba con él la firma de cada entrega. Solo puede verse de nuevo durante los 10 minutos siguientes a un inicio de sesión."
  }
})
