import { commonMessages } from "../../scene/messages/messages.ts"
import type { Messages } from "./en.ts"

/** All messages of the connect pages in Spanish. */
export const es: Messages = {
  ...commonMessages.es,
  unknownManufacturer: "el fabricante",
  cancel: "Cancelar",
  customer: {
    title: "Sus datos",
    lead: (asker) => `${asker} los utiliza para configurar los equipos de energía de su hogar.`
  },
  manufacturers: {
    title: "¿De qué marca es su equipo?",
    lead: "Elija la marca cuya aplicación usa para controlarlo.",
    search: "Buscar por marca",
    searchButton: "Buscar",
    filter: "Tipo de equipo",
    allTypes: "Todos",
    list: "Marcas",
    notYet: "Aún no disponible",
    found: (count) => (count === 1 ? "1 marca" : `${count} marcas`),
    none: "Ninguna marca fabrica este tipo de equipo.",
    noMatch: (search) => `Ninguna marca coincide con «${search}».`,
    showAll: "Mostrar todas las marcas"
  },
  unsupported: {
    title: (manufacturer) => `${manufacturer} aún no está disponible`,
    lead: (_, manufacturer) =>
      `Por ahora no se pueden conectar equipos de ${manufacturer}. Hemos anotado que los ha solicitado.`,
    another: "Elegir otra marca"
  },
  consent: {
    title: (asker, manufacturer) => `Conectar ${manufacturer} con ${asker}`,
    lead: (asker, manufacturer) =>
      `${asker} solicita acceso a sus equipos de ${manufacturer}. No se comparte nada hasta que usted acepte.`,
    titleAgain: (asker, manufacturer) => `Vuelva a conectar ${manufacturer} con ${asker}`,
    leadAgain: (asker, manufacturer) =>
      `${asker} ya no tiene acceso a sus equipos de ${manufacturer}. Conecte de nuevo la misma cuenta: sus equipos y su historial se conservan.`,
    connected: "Con conexión",
    anotherAccount: (manufacturer) => `Siga para conectar otra cuenta de ${manufacturer}.`,
    anotherDevice: "Siga para conectar otro equipo.",
    reads: (asker) => `${asker} podrá ver`,
    commands: (asker) => `${asker} podrá`,
    noCommands: "Solo lectura: no podrá controlar sus equipos.",
    not: (asker) => `${asker} no podrá`,
    nots: {
      password: (manufacturer) => `ver su contraseña de ${manufacturer}: usted inicia sesión en ${manufacturer}`,
      account: "cambiar su cuenta ni sus datos de pago"
    },
    notsOfLocal: { network: "acceder a otros equipos de su red", internet: "ver qué más hace en internet" },
    end: "Dejarlo más adelante",
    endings: (asker, manufacturer) =>
      `Pida a ${asker} que desconecte sus equipos, o retire su acceso en su cuenta de ${manufacturer}. El acceso termina de inmediato.`,
    endingsOfLocal: (asker) => `Pida a ${asker} que desconecte su equipo. El acceso termina de inmediato.`,
    agree: "Aceptar y continuar",
    decline: "No, gracias"
  },
  form: {
    title: (manufacturer) => `Conecte su equipo de ${manufacturer}`,
    lead: "Estos datos se guardan cifrados y no se usan para nada más.",
    failed: "No hemos podido conectar",
    submit: "Conectar",
    failures: {
      unreached:
        "No se ha podido acceder a ningún equipo de este tipo en esta dirección. Compruebe la dirección y el puerto, que el equipo esté encendido y que el acceso por la red local esté activado en sus ajustes.",
      link_spent: "Se han hecho demasiados intentos con este enlace. Pida uno nuevo.",
      too_many: "Ha habido demasiados intentos desde su red. Espere un minuto e inténtelo de nuevo."
    }
  },
  waiting: {
    title: (manufacturer) => `Continúe en ${manufacturer}`,
    lead: (manufacturer) =>
      `Inicie sesión en ${manufacturer} y permita el acceso. Esta página continuará sola en cuanto lo haya hecho.`,
    goOn: (manufacturer) => `Abrir ${manufacturer}`,
    dialTitle: "Configure su equipo",
    dialLead:
      "Introduzca estos valores en los ajustes de su equipo. Esta página continuará sola en cuanto el equipo se conecte.",
    plainTitle: "Ya casi está",
    plainLead: "Esta página continuará sola en cuanto haya una respuesta.",
    settings: "Ajustes para su equipo",
    show: "Mostrar",
    copy: "Copiar",
    copied: "Copiado",
    status: (manufacturer) => `Esperando a ${manufacturer}`,
    check: "Comprobar ahora",
    stop: "Dejar de comprobar automáticamente"
  },
  system: {
    title: "Elija qué conectar",
    lead: (manufacturer) => `Estos equipos están en su cuenta de ${manufacturer}.`,
    devices: "Equipos",
    serialNumber: (number) => `Número de serie ${number}`,
    incompatible: "No se puede conectar:",
    taken: "Ya está conectado",
    submit: "Terminar"
  },
  done: {
    title: "Conexión completada",
    lead: (asker, count) =>
      count === 1 ? `Su equipo ya funciona con ${asker}.` : `Sus ${count} equipos ya funcionan con ${asker}.`,
    devices: "Equipos conectados",
    interventions: "Aún pendiente",
    interventionsLead:
      "Sus equipos están conectados. Alguien debe ocuparse de lo siguiente para que todos funcionen por completo.",
    blocks: "Hasta entonces no se puede:",
    returnTo: (asker) => `Continuar a ${asker}`,
    close: "Puede cerrar esta página."
  },
  returned: {
    title: "Vuelva a donde empezó",
    lead: (manufacturer) =>
      `Ha vuelto de ${manufacturer}. La página o la aplicación en la que empezó muestra lo que sigue.`,
    goOn: "Abrir esa página aquí"
  },
  error: {
    retry: "Intentar de nuevo",
    newLink: (asker) => `Para intentarlo de nuevo, pida un enlace nuevo a ${asker}.`,
    returnTo: (asker) => `Volver a ${asker}`
  },
  unknown: {
    title: "Este enlace no funciona",
    happened: "La dirección está incompleta o el enlace se ha eliminado.",
    wayOn: "Abra de nuevo el enlace de su mensaje o pida uno nuevo."
  },
  errors: {
    access_denied: {
      title: "No se concedió el acceso",
      happened: (_, manufacturer) =>
        `El inicio de sesión en ${manufacturer} se canceló o se rechazó, por lo que no se ha conectado nada.`,
      wayOn: () => "Si no era su intención, empiece de nuevo y permita el acceso."
    },
    expired: {
      title: "Este enlace ha caducado",
      happened: () => "Este enlace ya no es válido.",
      wayOn: (asker) => `Pida un enlace nuevo a ${asker}.`
    },
    unsupported_manufacturer: {
      title: "Esta marca aún no está disponible",
      happened: (_, manufacturer) => `Por ahora no se pueden conectar equipos de ${manufacturer}.`,
      wayOn: (asker) => `Pregunte a ${asker} qué marcas se pueden conectar.`
    },
    duplicate_connection: {
      title: "Ya está conectado",
      happened: (asker, manufacturer) => `Su cuenta o equipo de ${manufacturer} ya tiene conexión con ${asker}.`,
      wayOn: (asker) =>
        `No queda nada por hacer aquí. Para conectar otra cuenta u otro equipo, pida un enlace nuevo a ${asker}.`
    },
    no_devices: {
      title: "No hemos encontrado equipos",
      happened: (_, manufacturer) => `No hay equipos en su cuenta de ${manufacturer}.`,
      wayOn: (_, manufacturer) =>
        `Compruebe en la aplicación de ${manufacturer} que sus equipos aparecen y que usa la misma cuenta.`
    },
    device_incompatible: {
      title: "Estos equipos no se pueden conectar",
      happened: (_, manufacturer) => `Ninguno de los equipos de su cuenta de ${manufacturer} se puede conectar.`,
      wayOn: (asker) => `Pregunte a ${asker} qué modelos son compatibles.`
    },
    account_mismatch: {
      title: "Es otra cuenta",
      happened: (_, manufacturer) =>
        `Ha iniciado sesión con una cuenta de ${manufacturer} distinta de la que estaba conectada, por lo que no se ha cambiado nada.`,
      wayOn: () => "Inicie sesión con la cuenta que usó la primera vez."
    },
    consent_refused: {
      title: "No se ha conectado nada",
      happened: () => "Usted no aceptó, por lo que no se ha leído ni compartido nada.",
      wayOn: () => "Aún puede cambiar de opinión."
    },
    manufacturer_unavailable: {
      title: "El fabricante no responde",
      happened: (_, manufacturer) => `En este momento no podemos contactar con ${manufacturer}.`,
      wayOn: () => "Puede que vuelva a funcionar en unos minutos."
    },
    configuration_error: {
      title: "La conexión no está bien configurada",
      happened: (_, manufacturer) =>
        `Un ajuste por nuestra parte impide la conexión con ${manufacturer}; usted no ha hecho nada mal.`,
      wayOn: (asker) => `Avise a ${asker}, que puede hacer que se corrija.`
    },
    server_error: {
      title: "Algo ha salido mal",
      happened: () => "Un error por nuestra parte ha interrumpido la conexión.",
      wayOn: (asker) => `Si se repite, avise a ${asker}.`
    }
  },

  reads: {
    battery: "la carga de su batería y la potencia que recibe y entrega",
    charger: "si su cargador está enchufado, y la potencia y la energía que usa",
    inverter: "la potencia y la energía que genera su instalación solar",
    meter: "la potencia y la energía que toma de la red y que vierte en ella",
    thermostat: "la temperatura de su hogar y los ajustes de su termostato",
    vehicle: "la carga de la batería de su vehículo, si está enchufado y cargando, y dónde está si usted lo comparte",
    water_heater: "la temperatura y el consumo de su calentador de agua",
    other: "las lecturas y los ajustes de su equipo",
    unknown: "las lecturas y los ajustes de su equipo"
  },
  readsAlways: "la marca, el modelo, el número de serie y el estado de sus equipos",

  commands: {
    "battery:set-reserve": "fijar qué parte de la batería se guarda como reserva",
    "battery:set-operating-mode": "cargar, descargar o detener la batería, y devolverla a sus propios ajustes",
    "charger:set-operating-mode": "iniciar y detener la carga en el cargador",
    "thermostat:set-operating-mode": "fijar el modo de calefacción y refrigeración y sus temperaturas",
    "thermostat:set-fan-mode": "ajustar el ventilador",
    "thermostat:pause-schedule": "pausar la programación del termostato",
    "thermostat:resume-schedule": "reanudar la programación del termostato",
    "vehicle:check-pairing-status": "comprobar si su vehículo acepta órdenes",
    "vehicle:set-charge-limit": "fijar hasta qué nivel se carga su vehículo",
    "vehicle:set-operating-mode": "iniciar y detener la carga de su vehículo"
  },
  telemetry: "enviar lecturas"
}
