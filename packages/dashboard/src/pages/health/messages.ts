import { defineMessages } from "../../i18n/language.ts"

export const messages = defineMessages({
  en: {
    title: "Health",
    lead: (version: string, time: string) => `Version ${version}, measured ${time}`,
    refresh: "Refresh",
    allWell: "Nothing needs attention",
    needsAttention: "What to do next",
    unknown: "Unknown",
    reasons: {
      timed_out: "It took too long to read this. The database may be overloaded: look at its ping and its connections.",
      failed: "This could not be read. The log of the service has the error."
    },
    asOf: "As of",
    service: "This instance",
    version: "Version",
    nodeVersion: "Node.js",
    role: "Role",
    roles: { all: "API and background work", api: "API", worker: "background work" },
    started: "Started",
    uptime: "Running for",
    instances: "Instances",
    host: "Host",
    pid: "Process",
    lastSeen: "Last seen",
    state: "State",
    thisOne: "Healthy",
    running: "running",
    silent: "silent",
    silentInstance: (host: string, pid: number) =>
      `The instance on ${host} (process ${pid}) gives no sign of life. If it was not stopped on purpose, start it again and read the end of its log.`,
    mixedVersions: (versions: string) =>
      `Instances run different versions: ${versions}. Finish the upgrade: stop the older ones and start them with the new version.`,
    newerDatabase:
      "A newer version has migrated the database. Upgrade this instance: it does not know the newest tables.",
    noWorker:
      "No instance does background work: deliveries, readings and commands wait. Start one with EDP_ROLE=worker or all.",
    work: "Background work",
    task: "Work",
    waiting: "Waiting",
    nothingWaits: (kinds: string) => `All ${kinds} queues are empty.`,
    oldest: "Oldest",
    tasks: {
      energy_rollups: "Devices whose energy is to be summed",
      forgotten_histories: "Removed devices whose readings are to be deleted",
      site_changes: "Changed sites whose devices need events",
      event_fan_out: "Workspaces with new events",
      deliveries: "Unfinished deliveries",
      account_readings: "Accounts that are due to be read",
      commands: "Devices with a command to send",
      command_confirmations: "Commands to be confirmed",
      command_timeouts: "Commands past their time-out",
      schedules: "Schedules that are due",
      dispatches: "Dispatches that are due",
      silence_checks: "Devices to be checked for silence"
    },
    late: (task: string, age: string) =>
      `${task}: the oldest has waited for ${age}. Look at the instances below: if all are well, the database or the network is too slow for the load, and another worker helps.`,
    atLeast: (count: string) => `${count} or more`,
    destinations: "Destinations",
    destinationsLead: (total: string, failing: string, deactivated: string) =>
      `${total} in the organization, ${failing} failing, ${deactivated} deactivated`,
    destination: "Destination",
    noTrouble: "None fails, waits or is deactivated.",
    failing: "failing",
    deactivated: "deactivated",
    backlog: "has a backlog",
    since: "Since",
    openDestination: "See its deliveries",
    destinationFails: (name: string, waiting: string) =>
      `${name} is failing; ${waiting} deliveries queued. Look at the responses of its receiver.`,
    destinationOff: (name: string) =>
      `The destination ${name} is deactivated: it gets no events until it is tested again.`,
    accounts: "Linked accounts",
    accountsLead: (connected: string, signIn: string) => `${connected} connected, ${signIn} need a new sign-in`,
    account: "Account",
    manufacturer: "Manufacturer",
    trouble: "Trouble",
    troubles: {
      sign_in_needed: "needs a new sign-in",
      expired: "token has expired",
      refresh_overdue: "renewal of the token is late",
      expires_soon: "token expires soon",
      call_failed: "latest call failed"
    },
    expires: "Token ends",
    message: "Latest error",
    reconnect: "Connect again",
    noAccountTrouble: "No account needs attention.",
    accountFails: (name: string, trouble: string) =>
      `The account ${name}: ${trouble}. Send its person a link to connect again.`,
    quotas: "Limits of manufacturers on calls",
    quota: "Limit",
    used: "Used",
    window: "Window",
    month: "calendar month",
    resets: "Starts anew",
    paused: "Paused until",
    everyAccount: "all accounts",
    noQuotas: "No manufacturer that is set up here limits calls.",
    quotaFull: (name: string, share: string) =>
      `${share} of the calls to ${name} are used in this window. Readings slow down by themselves; a larger limit is the manufacturer's to give.`,
    partitions: "Partitions",
    table: "Table",
    tables: { readings: "Readings, by month", events: "Events, by day" },
    partition: "Partition",
    range: "Range",
    rows: "Rows (estimate)",
    size: "Size",
    nextExists: "The next partition exists.",
    nextMissing: (table: string) =>
      `${table}: the next partition is missing. Instances make it ahead: the log of one says why it could not.`,
    partitionCount: (count: string, rows: string, size: string) => `${count} partitions, about ${rows} rows, ${size}`,
    database: "Database",
    kinds: { embedded: "embedded", postgresql: "PostgreSQL" },
    kind: "Kind",
    ping: "Ping",
    slowDatabase: (ping: string) =>
      `The database takes ${ping} for the shortest statement. Everything else waits for it: look at its load and at the network.`,
    databaseFull:
      "All connections of this instance are in use and statements wait. Raise EDP_DATABASE_POOL, or start another instance.",
    migrations: "Migrations",
    latestMigration: "Latest migration",
    connections: "Connections",
    connectionUse: (used: number, most: number, waiting: number) => `${used} of ${most} in use, ${waiting} waiting`,
    redis: "Redis",
    redisStates: { not_configured: "not configured", connected: "connected", unreachable: "unreachable" },
    redisAlone: "Limits on requests are counted by each instance alone.",
    redisAway:
      "Redis is unreachable: each instance counts limits on requests alone. Look at REDIS_URL and at the server.",
    none: "none"
  },
  es: {
    title: "Estado",
    lead: (version: string, time: string) => `Versión ${version}, medido ${time}`,
    refresh: "Actualizar",
    allWell: "Nada requiere atención",
    needsAttention: "Qué hacer ahora",
    unknown: "Desconocido",
    reasons: {
      timed_out:
        "Leerlo tardó demasiado. La base de datos puede estar sobrecargada: mire su latencia y sus conexiones.",
      failed: "No se pudo leer. El registro del servicio tiene el error."
    },
    asOf: "A las",
    service: "Esta instancia",
    version: "Versión",
    nodeVersion: "Node.js",
    role: "Función",
    roles: { all: "API y trabajo de fondo", api: "API", worker: "trabajo de fondo" },
    started: "Iniciada",
    uptime: "En marcha desde hace",
    instances: "Instancias",
    host: "Máquina",
    pid: "Proceso",
    lastSeen: "Vista por última vez",
    state: "Estado",
    thisOne: "En buen estado",
    running: "en marcha",
    silent: "en silencio",
    silentInstance: (host: string, pid: number) =>
      `La instancia en ${host} (proceso ${pid}) no da señales de vida. Si no se detuvo a propósito, iníciela y lea el final de su registro.`,
    mixedVersions: (versions: string) =>
      `Las instancias ejecutan versiones distintas: ${versions}. Termine la actualización: detenga las antiguas e inícielas con la versión nueva.`,
    newerDatabase:
      "Una versión más nueva ha migrado la base de datos. Actualice esta instancia: no conoce las tablas más nuevas.",
    noWorker:
      "Ninguna instancia hace el trabajo de fondo: entregas, lecturas y órdenes esperan. Inicie una con EDP_ROLE=worker o all.",
    work: "Trabajo de fondo",
    task: "Trabajo",
    waiting: "En espera",
    nothingWaits: (kinds: string) => `Las ${kinds} colas están vacías.`,
    oldest: "El más antiguo",
    tasks: {
      energy_rollups: "Dispositivos cuya energía se ha de sumar",
      forgotten_histories: "Dispositivos retirados cuyas lecturas se deben eliminar",
      site_changes: "Instalaciones cambiadas cuyos dispositivos necesitan eventos",
      event_fan_out: "Espacios de trabajo con eventos nuevos",
      deliveries: "Entregas sin terminar",
      account_readings: "Cuentas que toca leer",
      commands: "Dispositivos con una orden por enviar",
      command_confirmations: "Órdenes por confirmar",
      command_timeouts: "Órdenes fuera de plazo",
      schedules: "Horarios que tocan",
      dispatches: "Despachos que tocan",
      silence_checks: "Dispositivos por comprobar"
    },
    late: (task: string, age: string) =>
      `${task}: el más antiguo espera desde hace ${age}. Mire las instancias: si todas están bien, la base de datos o la red es lenta para la carga, y otra instancia ayuda.`,
    atLeast: (count: string) => `${count} o más`,
    destinations: "Destinos",
    destinationsLead: (total: string, failing: string, deactivated: string) =>
      `${total} en la organización, ${failing} fallan, ${deactivated} desactivados`,
    destination: "Destino",
    noTrouble: "Ninguno falla, espera o está desactivado.",
    failing: "falla",
    deactivated: "desactivado",
    backlog: "tiene retraso",
    since: "Desde",
    openDestination: "Ver sus entregas",
    destinationFails: (name: string, waiting: string) =>
      `${name} falla; ${waiting} entregas en cola. Mire las respuestas de su receptor.`,
    destinationOff: (name: string) =>
      `El destino ${name} está desactivado: no recibe eventos hasta que se pruebe de nuevo.`,
    accounts: "Cuentas vinculadas",
    accountsLead: (connected: string, signIn: string) =>
      `${connected} conectadas, ${signIn} se han de conectar de nuevo`,
    account: "Cuenta",
    manufacturer: "Fabricante",
    trouble: "Problema",
    troubles: {
      sign_in_needed: "necesita un nuevo inicio de sesión",
      expired: "el token ha caducado",
      refresh_overdue: "la renovación del token se retrasa",
      expires_soon: "el token caduca pronto",
      call_failed: "la última llamada falló"
    },
    expires: "Fin del token",
    message: "Último error",
    reconnect: "Conectar de nuevo",
    noAccountTrouble: "Ninguna cuenta requiere atención.",
    accountFails: (name: string, trouble: string) =>
      `La cuenta ${name}: ${trouble}. Envíe a su persona un enlace para conectar de nuevo.`,
    quotas: "Límites de llamadas de los fabricantes",
    quota: "Límite",
    used: "Usadas",
    window: "Ventana",
    month: "mes natural",
    resets: "Empieza de nuevo",
    paused: "En pausa hasta",
    everyAccount: "todas las cuentas",
    noQuotas: "Ningún fabricante configurado aquí limita las llamadas.",
    quotaFull: (name: string, share: string) =>
      `El ${share} de las llamadas a ${name} está usado en esta ventana. Las lecturas se espacian por sí mismas; un límite mayor lo da el fabricante.`,
    partitions: "Particiones",
    table: "Tabla",
    tables: { readings: "Lecturas, por mes", events: "Eventos, por día" },
    partition: "Partición",
    range: "Intervalo",
    rows: "Filas (estimación)",
    size: "Tamaño",
    nextExists: "La siguiente partición existe.",
    nextMissing: (table: string) =>
      `${table}: falta la siguiente partición. Las instancias la crean por adelantado: el registro de una dice por qué no pudo.`,
    partitionCount: (count: string, rows: string, size: string) => `${count} particiones, unas ${rows} filas, ${size}`,
    database: "Base de datos",
    kinds: { embedded: "integrada", postgresql: "PostgreSQL" },
    kind: "Tipo",
    ping: "Latencia",
    slowDatabase: (ping: string) =>
      `La base de datos tarda ${ping} en la consulta más corta. Todo lo demás la espera: mire su carga y la red.`,
    databaseFull:
      "Todas las conexiones de esta instancia están en uso y hay consultas en espera. Aumente EDP_DATABASE_POOL o inicie otra instancia.",
    migrations: "Migraciones",
    latestMigration: "Última migración",
    connections: "Conexiones",
    connectionUse: (used: number, most: number, waiting: number) => `${used} de ${most} en uso, ${waiting} en espera`,
    redis: "Redis",
    redisStates: { not_configured: "no configurado", connected: "conectado", unreachable: "inalcanzable" },
    redisAlone: "Cada instancia cuenta por sí sola los límites de solicitudes.",
    redisAway:
      "Redis no responde: cada instancia cuenta por sí sola los límites de solicitudes. Mire REDIS_URL y el servidor.",
    none: "ninguno"
  }
})

export type HealthMessages = (typeof messages)["en"]
