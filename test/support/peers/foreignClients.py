"""Public client libraries of energy devices, each reading one device.

The arguments are the name of a library and a JSON object with what it needs to reach the device. Prints a JSON object: the figures that the
library reports, by device and field in the platform's names and units (W, Wh, V, A, %), and the identity that it found.
"""

import asyncio
import json
import sys


def wh(*energies):
    return 1000 * sum(energies)


async def aioshelly(port, listen=None, mac=None):
    """Connects to a device; with `listen`, waits for one that connects to a port and announces its status."""
    from aiohttp import ClientSession
    from aioshelly.common import ConnectionOptions
    from aioshelly.rpc_device import RpcDevice, WsServer

    server = WsServer()
    async with ClientSession() as session:
        options = ConnectionOptions("127.0.0.1", port=port or 80, device_mac=mac)
        device = await RpcDevice.create(session, server, options)
        if listen is None:
            await device.initialize()
            identity = {"serialNumber": device.shelly["mac"], "model": device.model, "firmware": device.firmware_version}
        else:
            announced = asyncio.Event()
            device.subscribe_updates(lambda *_: announced.set())
            await server.initialize(listen)
            print("listening", flush=True)
            await announced.wait()
            identity = {}
        status = device._status
        await device.shutdown()
        server.close()
    meter = {}
    if "em:0" in status:
        meter |= {
            "power": status["em:0"]["total_act_power"],
            "current": status["em:0"]["total_current"],
            "voltage": status["em:0"]["a_voltage"],
            "importedEnergy": status["emdata:0"]["total_act"],
            "exportedEnergy": status["emdata:0"]["total_act_ret"],
        }
    if "switch:0" in status:
        switch = status["switch:0"]
        meter |= {
            "power": switch["apower"],
            "current": switch["current"],
            "voltage": switch["voltage"],
            "importedEnergy": switch["aenergy"]["total"],
        }
    return {"figures": {"meter": meter}, "identity": identity}


async def apsystems_ez1(port):
    from APsystemsEZ1 import APsystemsEZ1M

    device = APsystemsEZ1M("127.0.0.1", port)
    power = await device.get_total_output()
    energy = await device.get_total_energy_lifetime()
    return {"figures": {"inverter": {"power": power, "lifetimeEnergyGenerated": wh(energy)}}}


async def goodwe(port):
    import goodwe as library
    from goodwe.protocol import TcpInverterProtocol

    # The library speaks Modbus TCP at port 502 alone, and another protocol, over UDP, at each other port.
    library.ET._create_protocol = staticmethod(TcpInverterProtocol)
    inverter = await library.connect("127.0.0.1", port, family="ET")
    data = await inverter.read_runtime_data()
    return {
        "figures": {
            "inverter": {"power": data["ppv"], "lifetimeEnergyGenerated": wh(data["e_total"])},
            "battery": {"chargePercentage": data["battery_soc"], "chargeRate": data["pbattery1"]},
            # The library counts what is fed into the grid as positive.
            "meter": {"power": -data["meter_active_power_total"], "importedEnergy": wh(data["meter_e_total_imp"])},
        },
        "identity": {
            "serialNumber": inverter.serial_number,
            "model": inverter.model_name,
            "grid": data["grid_in_out_label"],
            "battery": data["battery_mode_label"],
        },
    }


async def hatasmota(messages, config, sensors):
    """Reads messages by topic, after the device has described itself."""
    from hatasmota.discovery import TasmotaDiscovery
    from hatasmota.mqtt import ReceiveMessage, TasmotaMQTTClient
    from hatasmota.sensor import TasmotaSensor

    async def unused(*_):
        return None

    listening = []

    async def subscribe(_, topics):
        listening.extend(topics.values())
        return topics

    async def deliver(topic, payload):
        for one in list(listening):
            if one["topic"] in (topic, topic.rsplit("/", 2)[0] + "/#"):
                message = ReceiveMessage(topic, payload, 0, False)
                result = one["msg_callback"](message)
                if asyncio.iscoroutine(result):
                    await result

    client = TasmotaMQTTClient(unused, subscribe, unused)
    found = []

    async def discovered(entities, _):
        found.extend(entity for entity, _ in entities)

    await TasmotaDiscovery("tasmota/discovery", client).start_discovery(unused, discovered)
    mac = config["mac"]
    await deliver(f"tasmota/discovery/{mac}/config", json.dumps(config))
    await deliver(f"tasmota/discovery/{mac}/sensors", json.dumps(sensors))
    names = {"Power": ("power", 1), "Total": ("importedEnergy", 1000), "Voltage": ("voltage", 1), "Current": ("current", 1)}
    meter, units = {}, {}
    for entity in found:
        path = getattr(entity, "value_path", None)
        if path is None or path[0] != "ENERGY" or path[-1] not in names:
            continue
        name, factor = names[path[-1]]
        sensor = TasmotaSensor(config=entity, mqtt_client=client)
        sensor.set_on_state_callback(lambda value, name=name, factor=factor, **_: meter.update({name: factor * value}))
        units[name] = sensor.unit
        await sensor.subscribe_topics()
    for topic, payload in messages.items():
        await deliver(topic, payload)
    return {"figures": {"meter": meter}, "identity": units}


async def homewizard_energy(port):
    from homewizard_energy import HomeWizardEnergyV1

    async with HomeWizardEnergyV1(f"127.0.0.1:{port}") as client:
        device = await client.device()
        data = await client.measurement()
    first = (data.voltage_v, data.current_a) if data.voltage_v is not None else (data.voltage_l1_v, data.current_l1_a)
    return {
        "figures": {
            "meter": {
                "power": data.power_w,
                "importedEnergy": wh(data.energy_import_kwh),
                "exportedEnergy": wh(data.energy_export_kwh),
                "voltage": first[0],
                "current": first[1],
            }
        },
        "identity": {"serialNumber": device.serial, "model": device.model_name, "firmware": device.firmware_version},
    }


async def iotawattpy(port, series):
    import httpx
    from iotawattpy.iotawatt import Iotawatt

    async with httpx.AsyncClient() as session:
        client = Iotawatt("test", f"127.0.0.1:{port}", session)
        await client.update()
        sensors = client.getSensors()["sensors"].values()
    values = {sensor.getName(): (sensor.getUnit(), sensor.getValue()) for sensor in sensors}
    return {
        "figures": {"meter": {"power": values[series][1], "importedEnergy": values[f"{series}.wh"][1]}},
        "identity": {"units": [values[series][0], values[f"{series}.wh"][0]]},
    }


async def p1monitor(port):
    from p1monitor import P1Monitor

    async with P1Monitor("127.0.0.1", port) as client:
        data = await client.smartmeter()
    return {
        "figures": {
            "meter": {
                "power": data.power_consumption - data.power_production,
                "importedEnergy": wh(data.energy_consumption_low, data.energy_consumption_high),
                "exportedEnergy": wh(data.energy_production_low, data.energy_production_high),
            }
        }
    }


async def youless_api(port):
    from youless_api import YoulessAPI

    client = YoulessAPI(f"127.0.0.1:{port}")
    await asyncio.to_thread(client.initialize)
    await asyncio.to_thread(client.update)
    return {
        "figures": {
            "meter": {
                "power": client.current_power_usage.value,
                "importedEnergy": wh(client.power_meter.low.value, client.power_meter.high.value),
                "exportedEnergy": wh(client.delivery_meter.low.value, client.delivery_meter.high.value),
            },
            "inverter": {
                "power": client.extra_meter.usage.value,
                "lifetimeEnergyGenerated": wh(client.extra_meter.total.value),
            },
        },
        "identity": {"model": client.model, "mac": client.mac_address},
    }


libraries = [aioshelly, apsystems_ez1, goodwe, hatasmota, homewizard_energy, iotawattpy, p1monitor, youless_api]
by_name = {library.__name__: library for library in libraries}


async def main(name, values):
    async with asyncio.timeout(30):
        print(json.dumps(await by_name[name](**values)))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
