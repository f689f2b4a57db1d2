import { defineMessages } from "../../i18n/language.ts"

export const messages = defineMessages({
  en: {
    title: "Settings",
    lead: "Settings of the chosen workspace. Each change is in the audit log.",
    general: "Workspace",
    name: "Name",
    nameHint: "Unique in the organization.",
    timezone: "Time zone",
    timezoneHint: "Days of metrics begin in it, and forms take times in it.",
    noTimezone: "Must be a time zone, such as America/Los_Angeles.",
    hosted: "Hosted pages",
    hostedLead: "The pages on which people connect devices and enroll have this logo and colour.",
    logoUrl: "Logo",
    logoHint: "An https address of an image of at most 256 KiB. Leave empty for none.",
    accentColor: "Colour",
    accentHint: "Colour of buttons and links, such as #1a5fb4. Leave empty for the standard colour.",
    redirects: "Targets of redirects",
    redirectsHint:
      "Origins and schemes of apps to which connect sessions may lead people, one in each line, such as https://app.example.com or sunnyhomes:. If it is empty, sessions of CONNECT keys lead nowhere.",
    protection: "Refuse the deletion of the workspace, its sites, customers and devices",
    save: "Save the settings",
    saved: "The settings were saved.",
    unchanged: "Nothing has changed."
  },
  es: {
    title: "Ajustes",
    lead: "Ajustes del espacio de trabajo elegido. Cada cambio queda en el registro de auditoría.",
    general: "Espacio de trabajo",
    name: "Nombre",
    nameHint: "Único en la organización.",
    timezone: "Zona horaria",
    timezoneHint: "Los días de las métricas empiezan en ella y los formularios toman las horas en ella.",
    noTimezone: "Debe ser una zona horaria, como America/Los_Angeles.",
    hosted: "Páginas alojadas",
    hostedLead:
      "Las páginas en las que las personas conectan dispositivos y se inscriben llevan este logotipo y este color.",
    logoUrl: "Logotipo",
    logoHint: "Dirección https de una imagen de 256 KiB como máximo. Vacío: sin logotipo.",
    accentColor: "Color",
    accentHint: "Color de botones y enlaces, como #1a5fb4. Vacío: el color estándar.",
    redirects: "Destinos de las redirecciones",
    redirectsHint:
      "Orígenes y esquemas de aplicaciones a los que las sesiones de conexión pueden llevar a las personas, uno por línea, como https://app.example.com o sunnyhomes:. Vacío: las sesiones de claves CONNECT no llevan a ninguna parte.",
    protection: "Rechazar que se eliminen el espacio de trabajo, sus instalaciones, clientes y dispositivos",
    save: "Guardar los ajustes",
    saved: "Se guardaron los ajustes.",
    unchanged: "No ha cambiado nada."
  }
})
