<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es" sourcelanguage="en">
<context>
    <name>ClipFields</name>
    <message>
        <source>&amp;Frames</source>
        <translation>&amp;Fotogramas</translation>
    </message>
    <message>
        <source>How many pictures the clip has: more take longer.</source>
        <translation>Cuántas imágenes tiene el clip: más tardan más.</translation>
    </message>
    <message>
        <source>Frames a secon&amp;d</source>
        <translation>Fotogramas por segun&amp;do</translation>
    </message>
    <message>
        <source>How fast they follow one another when the clip plays.</source>
        <translation>Con qué rapidez se suceden al reproducir el clip.</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Generate</source>
        <translation>Generar</translation>
    </message>
    <message>
        <source>Cancel what runs</source>
        <translation>Cancelar lo que está en marcha</translation>
    </message>
    <message>
        <source>Close messages, go to Cancel</source>
        <translation>Cerrar mensajes, ir a Cancelar</translation>
    </message>
    <message>
        <source>Go to the prompt</source>
        <translation>Ir al texto</translation>
    </message>
    <message>
        <source>Go to the results</source>
        <translation>Ir a los resultados</translation>
    </message>
    <message>
        <source>Go to the queue</source>
        <translation>Ir a la cola</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Abrir una carpeta de modelo</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Abrir un archivo de modelo</translation>
    </message>
    <message>
        <source>Save the picture as</source>
        <translation>Guardar la imagen como</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>Copiar la imagen</translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation>Mostrar en su carpeta</translation>
    </message>
    <message>
        <source>Use its settings again</source>
        <translation>Usar de nuevo sus ajustes</translation>
    </message>
    <message>
        <source>Delete to the trash</source>
        <translation>Enviar a la papelera</translation>
    </message>
    <message>
        <source>Fit to the window</source>
        <translation>Ajustar a la ventana</translation>
    </message>
    <message>
        <source>Show at 100 %</source>
        <translation>Mostrar al 100 %</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Más grande</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Más pequeño</translation>
    </message>
    <message>
        <source>Prompt panel</source>
        <translation>Panel del texto</translation>
    </message>
    <message>
        <source>Memory panel</source>
        <translation>Panel de memoria</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Claro u oscuro</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>This help</source>
        <translation>Esta ayuda</translation>
    </message>
    <message>
        <source>Close the program</source>
        <translation>Cerrar el programa</translation>
    </message>
</context>
<context>
    <name>DeviceChart</name>
    <message>
        <source>{name}: Headroom holds {held}, other programs {others}, {free} of {total} are free. Most held in the last two minutes: {most}.</source>
        <translation>{name}: Headroom ocupa {held}, otros programas {others}, quedan libres {free} de {total}. Máximo ocupado en los últimos dos minutos: {most}.</translation>
    </message>
</context>
<context>
    <name>DeviceEditor</name>
    <message>
        <source>Auto ({name})</source>
        <translation>Auto ({name})</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>{device} (not found)</source>
        <translation>{device} (no encontrado)</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>What should the picture show?</source>
        <translation>¿Qué debe mostrar la imagen?</translation>
    </message>
    <message>
        <source>Write it on the left, then press Generate.</source>
        <translation>Escríbelo a la izquierda y pulsa Generar.</translation>
    </message>
    <message>
        <source>Write it on the left, then press Generate. {model} makes it.</source>
        <translation>Escríbelo a la izquierda y pulsa Generar. {model} la crea.</translation>
    </message>
    <message>
        <source>Takes this prompt</source>
        <translation>Usa este texto</translation>
    </message>
</context>
<context>
    <name>ErrorBox</name>
    <message>
        <source>Details of the error</source>
        <translation>Detalles del error</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Detalles</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Copies the message and its details</source>
        <translation>Copia el mensaje y sus detalles</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Log file: {path}</source>
        <translation>Archivo de registro: {path}</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>Reiniciar el motor</translation>
    </message>
    <message>
        <source>Open log</source>
        <translation>Abrir el registro</translation>
    </message>
</context>
<context>
    <name>FolderEditor</name>
    <message>
        <source>Choose a folder</source>
        <translation>Elegir una carpeta</translation>
    </message>
</context>
<context>
    <name>Gallery</name>
    <message>
        <source>Results</source>
        <translation>Resultados</translation>
    </message>
    <message>
        <source>Finished pictures, newest first; they can be dragged out as files.</source>
        <translation>Imágenes terminadas, primero la más reciente; se pueden arrastrar fuera como archivos.</translation>
    </message>
    <message>
        <source>Finished pictures appear here, the newest first.</source>
        <translation>Aquí aparecen las imágenes terminadas, primero la más reciente.</translation>
    </message>
</context>
<context>
    <name>Generator</name>
    <message>
        <source>Write here what the picture should show, then press Generate.</source>
        <translation>Escribe aquí qué debe mostrar la imagen y pulsa Generar.</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Headroom</source>
        <translation>Headroom</translation>
    </message>
    <message>
        <source>Prompt panel</source>
        <translation>Panel del texto</translation>
    </message>
    <message>
        <source>Memory panel</source>
        <translation>Panel de memoria</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Claro u oscuro</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>Help and shortcuts</source>
        <translation>Ayuda y atajos</translation>
    </message>
    <message>
        <source>Looking at this machine…</source>
        <translation>Examinando este equipo…</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help and shortcuts</source>
        <translation>Ayuda y atajos</translation>
    </message>
    <message>
        <source>How it works</source>
        <translation>Cómo funciona</translation>
    </message>
    <message>
        <source>Write what the picture should show, press Generate, and find the file in the results below the viewer. The memory panel on the right says what will run and whether it fits; it can stay on Auto.</source>
        <translation>Escribe qué debe mostrar la imagen, pulsa Generar y encuentra el archivo en los resultados, debajo del visor. El panel de memoria, a la derecha, dice qué se ejecutará y si cabe; puede quedarse en Auto.</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Teclas</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
</context>
<context>
    <name>JobDesk</name>
    <message numerus="yes">
        <source>Interrupted when the program last ended: %n job(s).</source>
        <translation>
            <numerusform>Interrumpido cuando el programa terminó la última vez: %n trabajo.</numerusform>
            <numerusform>Interrumpidos cuando el programa terminó la última vez: %n trabajos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Still in the queue: %n job(s).</source>
        <translation>
            <numerusform>Aún en la cola: %n trabajo.</numerusform>
            <numerusform>Aún en la cola: %n trabajos.</numerusform>
        </translation>
    </message>
    <message>
        <source>Run them</source>
        <translation>Ejecutarlos</translation>
    </message>
    <message>
        <source>Close Headroom</source>
        <translation>Cerrar Headroom</translation>
    </message>
    <message>
        <source>A picture is being made. Closing stops it; waiting jobs stay in the queue.</source>
        <translation>Se está creando una imagen. Al cerrar se detiene; los trabajos en espera se quedan en la cola.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Detener y cerrar</translation>
    </message>
    <message>
        <source>Keep working</source>
        <translation>Seguir trabajando</translation>
    </message>
    <message>
        <source>Starts as soon as the engine is up</source>
        <translation>Empieza en cuanto el motor esté listo</translation>
    </message>
    <message numerus="yes">
        <source>Waits behind %n job(s)</source>
        <translation>
            <numerusform>Espera tras %n trabajo</numerusform>
            <numerusform>Espera tras %n trabajos</numerusform>
        </translation>
    </message>
    <message>
        <source>about {time}</source>
        <translation>unos {time}</translation>
    </message>
    <message>
        <source>Turn “Stream ahead” off</source>
        <translation>Apagar «Copiar antes»</translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s) done</source>
        <translation>
            <numerusform>%n imagen terminada</numerusform>
            <numerusform>%n imágenes terminadas</numerusform>
        </translation>
    </message>
    <message>
        <source>Run the job again</source>
        <translation>Ejecutar de nuevo</translation>
    </message>
    <message>
        <source>Run anyway</source>
        <translation>Ejecutar igualmente</translation>
    </message>
</context>
<context>
    <name>KnobRow</name>
    <message>
        <source>Not here: {choices}. {reason}</source>
        <translation>Aquí no: {choices}. {reason}</translation>
    </message>
    <message>
        <source>picture may differ</source>
        <translation>puede variar</translation>
    </message>
    <message>
        <source>same picture</source>
        <translation>misma imagen</translation>
    </message>
</context>
<context>
    <name>LoraList</name>
    <message>
        <source>Add…</source>
        <translation>Añadir…</translation>
    </message>
    <message>
        <source>Add a LoRA file</source>
        <translation>Añadir un archivo LoRA</translation>
    </message>
    <message>
        <source>A small file that teaches the model a style or a thing. It must fit the chosen model.</source>
        <translation>Un archivo pequeño que enseña al modelo un estilo o una cosa. Debe ajustarse al modelo elegido.</translation>
    </message>
    <message>
        <source>&amp;LoRA</source>
        <translation>&amp;LoRA</translation>
    </message>
    <message>
        <source>LoRA files (*.safetensors)</source>
        <translation>Archivos LoRA (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Todos los archivos (*)</translation>
    </message>
</context>
<context>
    <name>LoraRow</name>
    <message>
        <source>Weight of {name}</source>
        <translation>Peso de {name}</translation>
    </message>
    <message>
        <source>How strongly the LoRA acts: 1 as it was trained, 0 not at all.</source>
        <translation>Con qué fuerza actúa el LoRA: 1 como se entrenó, 0 nada.</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Quitar {name}</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Headroom</source>
        <translation>Headroom</translation>
    </message>
    <message>
        <source>Queue ({count})</source>
        <translation>Cola ({count})</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Cola</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Resultados</translation>
    </message>
</context>
<context>
    <name>MapEditor</name>
    <message>
        <source>Edit…</source>
        <translation>Editar…</translation>
    </message>
</context>
<context>
    <name>MapWindow</name>
    <message>
        <source>Parts without a row lie on the chosen GPU. A dot names a module inside a part, such as unet.mid_block; the rest of the part lies where its own row says.</source>
        <translation>Las partes sin fila están en la GPU elegida. Un punto nombra un módulo dentro de una parte, como unet.mid_block; el resto de la parte está donde dice su propia fila.</translation>
    </message>
    <message>
        <source>Part or module</source>
        <translation>Parte o módulo</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Lugar</translation>
    </message>
    <message>
        <source>Add a row</source>
        <translation>Añadir una fila</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>De un archivo…</translation>
    </message>
    <message>
        <source>To a file…</source>
        <translation>A un archivo…</translation>
    </message>
    <message>
        <source>“{file}” holds no map: it must be JSON such as {example}.</source>
        <translation>«{file}» no contiene un mapa: debe ser JSON como {example}.</translation>
    </message>
    <message>
        <source>“{file}” could not be written: {reason}</source>
        <translation>No se pudo escribir «{file}»: {reason}</translation>
    </message>
    <message>
        <source>A device map</source>
        <translation>Un mapa de dispositivos</translation>
    </message>
    <message>
        <source>{device} (not found)</source>
        <translation>{device} (no encontrado)</translation>
    </message>
    <message>
        <source>Place of {part}</source>
        <translation>Lugar de {part}</translation>
    </message>
    <message>
        <source>Remove this row</source>
        <translation>Quitar esta fila</translation>
    </message>
    <message>
        <source>“{part}” stands twice: remove one of its rows.</source>
        <translation>«{part}» aparece dos veces: quita una de sus filas.</translation>
    </message>
    <message>
        <source>This model has no “{part}”. Its parts are: {known}.</source>
        <translation>Este modelo no tiene «{part}». Sus partes son: {known}.</translation>
    </message>
    <message>
        <source>A row without a part has no effect.</source>
        <translation>Una fila sin parte no tiene efecto.</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Preset</source>
        <translation>Preajuste</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Más</translation>
    </message>
    <message>
        <source>Where things lie</source>
        <translation>Dónde está cada parte</translation>
    </message>
    <message>
        <source>Custom (from {preset})</source>
        <translation>Propio (desde {preset})</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Propio</translation>
    </message>
    <message>
        <source>The engine is starting: what this machine has is not known yet.</source>
        <translation>El motor está arrancando: aún no se sabe qué tiene este equipo.</translation>
    </message>
    <message>
        <source>No GPU was found: the processor makes the pictures, in main memory.</source>
        <translation>No se encontró ninguna GPU: el procesador crea las imágenes, en la memoria principal.</translation>
    </message>
    <message>
        <source>Choose a model to see what it needs.</source>
        <translation>Elige un modelo para ver qué necesita.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memoria</translation>
    </message>
</context>
<context>
    <name>ModelBox</name>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>Open model…</source>
        <translation>Abrir modelo…</translation>
    </message>
    <message>
        <source>Open model</source>
        <translation>Abrir modelo</translation>
    </message>
    <message>
        <source>A diffusers folder or a single safetensors file (Ctrl+O)</source>
        <translation>Una carpeta de diffusers o un único archivo safetensors (Ctrl+O)</translation>
    </message>
    <message>
        <source>Model &amp;folder…</source>
        <translation>&amp;Carpeta del modelo…</translation>
    </message>
    <message>
        <source>Single &amp;file…</source>
        <translation>Un solo &amp;archivo…</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Abrir una carpeta de modelo</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Abrir un archivo de modelo</translation>
    </message>
    <message>
        <source>Models (*.safetensors)</source>
        <translation>Modelos (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Todos los archivos (*)</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Do this</source>
        <translation>Hacerlo</translation>
    </message>
    <message>
        <source>Close the notice</source>
        <translation>Cerrar el aviso</translation>
    </message>
</context>
<context>
    <name>Notifier</name>
    <message>
        <source>Headroom</source>
        <translation>Headroom</translation>
    </message>
</context>
<context>
    <name>PartsEditor</name>
    <message>
        <source>Edit…</source>
        <translation>Editar…</translation>
    </message>
</context>
<context>
    <name>PartsWindow</name>
    <message>
        <source>Part</source>
        <translation>Parte</translation>
    </message>
    <message>
        <source>All as the model</source>
        <translation>Todo como el modelo</translation>
    </message>
    <message>
        <source>{device} (not found)</source>
        <translation>{device} (no encontrado)</translation>
    </message>
    <message>
        <source>{part} (not in this model)</source>
        <translation>{part} (no en este modelo)</translation>
    </message>
    <message>
        <source>Choose a model to see its parts.</source>
        <translation>Elige un modelo para ver sus partes.</translation>
    </message>
    <message>
        <source>As the model</source>
        <translation>Como el modelo</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>Picture</source>
        <translation>Imagen</translation>
    </message>
</context>
<context>
    <name>PlacesView</name>
    <message>
        <source>In the last run, as the engine found it:</source>
        <translation>En el último trabajo, según el motor:</translation>
    </message>
    <message>
        <source>Known once a model is chosen and the engine is up.</source>
        <translation>Se sabrá cuando haya un modelo elegido y el motor esté listo.</translation>
    </message>
</context>
<context>
    <name>PlanBar</name>
    <message>
        <source>Memory plan</source>
        <translation>Plan de memoria</translation>
    </message>
    <message>
        <source>No plan yet.</source>
        <translation>Aún no hay plan.</translation>
    </message>
    <message>
        <source>{size} more than the device has</source>
        <translation>{size} más de lo que tiene el dispositivo</translation>
    </message>
    <message>
        <source>{size} of weights wait in main memory</source>
        <translation>{size} de pesos esperan en la memoria principal</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Pesos</translation>
    </message>
    <message>
        <source>Weights, in turn</source>
        <translation>Pesos, por turnos</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Trabajo</translation>
    </message>
    <message>
        <source>not estimated yet</source>
        <translation>aún sin estimar</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>Reserva</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>Otros programas</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Libre</translation>
    </message>
</context>
<context>
    <name>PromptPanel</name>
    <message>
        <source>Prompt</source>
        <translation>Texto</translation>
    </message>
    <message>
        <source>What the picture should show</source>
        <translation>Qué debe mostrar la imagen</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Texto negativo</translation>
    </message>
    <message>
        <source>What it should not show</source>
        <translation>Qué no debe mostrar</translation>
    </message>
    <message>
        <source>&amp;Negative prompt</source>
        <translation>Texto &amp;negativo</translation>
    </message>
    <message>
        <source>&amp;Generate</source>
        <translation>&amp;Generar</translation>
    </message>
    <message>
        <source>Generate (Ctrl+Enter)</source>
        <translation>Generar (Ctrl+Intro)</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>&amp;Pasos</translation>
    </message>
    <message>
        <source>How often the noise is thinned: more steps, finer pictures, longer waits.</source>
        <translation>Cuántas veces se reduce el ruido: más pasos, imágenes más finas, más espera.</translation>
    </message>
    <message>
        <source>G&amp;uidance</source>
        <translation>&amp;Guía</translation>
    </message>
    <message>
        <source>How closely the picture keeps to the prompt: too high looks harsh.</source>
        <translation>Cuánto se ciñe la imagen al texto: demasiado alta se ve dura.</translation>
    </message>
    <message>
        <source>C&amp;ount</source>
        <translation>Can&amp;tidad</translation>
    </message>
    <message>
        <source>How many pictures, each with the next seed.</source>
        <translation>Cuántas imágenes, cada una con la semilla siguiente.</translation>
    </message>
</context>
<context>
    <name>QueueView</name>
    <message>
        <source>Queue</source>
        <translation>Cola</translation>
    </message>
    <message>
        <source>Jobs in the order they run. Alt with the arrow keys moves one, Del removes it.</source>
        <translation>Trabajos en el orden en que se ejecutan. Alt con las flechas mueve uno, Supr lo quita.</translation>
    </message>
    <message>
        <source>Nothing waits. Generate while a picture is being made puts the next one here.</source>
        <translation>No hay nada en espera. Generar mientras se crea una imagen pone aquí la siguiente.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausar</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Antes</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Después</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Repetir</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Seguir</translation>
    </message>
    <message>
        <source>Lets the running picture finish and starts no other until you go on.</source>
        <translation>Deja terminar la imagen en curso y no empieza otra hasta que sigas.</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>En marcha</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>En espera</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Interrumpido</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
</context>
<context>
    <name>ResultActions</name>
    <message>
        <source>Save the picture as</source>
        <translation>Guardar la imagen como</translation>
    </message>
    <message>
        <source>PNG (*.png)</source>
        <translation>PNG (*.png)</translation>
    </message>
    <message>
        <source>JPEG (*.jpg *.jpeg)</source>
        <translation>JPEG (*.jpg *.jpeg)</translation>
    </message>
    <message>
        <source>WebP (*.webp)</source>
        <translation>WebP (*.webp)</translation>
    </message>
    <message>
        <source>Delete the picture</source>
        <translation>Eliminar la imagen</translation>
    </message>
    <message>
        <source>Move {name} to the trash?</source>
        <translation>¿Mover {name} a la papelera?</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>Mover a la papelera</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Conservar</translation>
    </message>
    <message>
        <source>{name} could not be moved to the trash, so it was left where it is.</source>
        <translation>{name} no se pudo mover a la papelera, así que se dejó donde está.</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>Guardada como {path}</translation>
    </message>
</context>
<context>
    <name>ResultDesk</name>
    <message>
        <source>The picture was copied.</source>
        <translation>La imagen se ha copiado.</translation>
    </message>
    <message>
        <source>{name} is neither a model nor a picture, so it was left alone.</source>
        <translation>{name} no es un modelo ni una imagen, así que no se ha tocado.</translation>
    </message>
    <message>
        <source>There are no settings in this picture.</source>
        <translation>Esta imagen no contiene ajustes.</translation>
    </message>
    <message>
        <source>The picture&apos;s {name} “{value}” cannot be used and was left as it is here.</source>
        <translation>El valor de {name} de la imagen, «{value}», no se puede usar; aquí queda como estaba.</translation>
    </message>
    <message>
        <source>The picture was made with the LoRA {name}, which is not known here: add it again.</source>
        <translation>La imagen se hizo con el LoRA {name}, que aquí no se conoce: añádalo de nuevo.</translation>
    </message>
    <message>
        <source>The picture was made with the model {name}, which is not here: the chosen one is used.</source>
        <translation>La imagen se creó con el modelo {name}, que no está aquí: se usa el elegido.</translation>
    </message>
</context>
<context>
    <name>ResultModel</name>
    <message>
        <source>{name}, seed {seed}: {prompt}</source>
        <translation>{name}, semilla {seed}: {prompt}</translation>
    </message>
</context>
<context>
    <name>SeedField</name>
    <message>
        <source>Seed</source>
        <translation>Semilla</translation>
    </message>
    <message>
        <source>The number that the noise is drawn from: the same seed and settings give the same picture.</source>
        <translation>El número del que sale el ruido: la misma semilla y los mismos ajustes dan la misma imagen.</translation>
    </message>
    <message>
        <source>Draw a new seed</source>
        <translation>Sacar otra semilla</translation>
    </message>
    <message>
        <source>Keep this seed</source>
        <translation>Conservar esta semilla</translation>
    </message>
    <message>
        <source>See&amp;d</source>
        <translation>Se&amp;milla</translation>
    </message>
    <message>
        <source>A seed is a whole number from 0 to {high}.</source>
        <translation>Una semilla es un número entero de 0 a {high}.</translation>
    </message>
    <message>
        <source>The seed stays the same</source>
        <translation>La semilla se conserva</translation>
    </message>
    <message>
        <source>A new seed is drawn for each job</source>
        <translation>Cada trabajo saca otra semilla</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Ajustes</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Como el sistema</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Oscuro</translation>
    </message>
    <message>
        <source>The language changes at the next start of Headroom.</source>
        <translation>El idioma cambia al volver a abrir Headroom.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Quitar</translation>
    </message>
    <message>
        <source>Where pictures go</source>
        <translation>Dónde van las imágenes</translation>
    </message>
    <message>
        <source>A folder with models</source>
        <translation>Una carpeta con modelos</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Apariencia</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Idioma</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Tema</translation>
    </message>
    <message>
        <source>Pictures go to</source>
        <translation>Las imágenes van a</translation>
    </message>
    <message>
        <source>Model folders</source>
        <translation>Carpetas de modelos</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Acerca de</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Cambiar…</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Por defecto</translation>
    </message>
    <message>
        <source>Headroom lists the models in these folders; nothing is copied.</source>
        <translation>Headroom muestra los modelos de estas carpetas; no se copia nada.</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Añadir…</translation>
    </message>
    <message>
        <source>Free software under the Apache License 2.0. Qt is used under the LGPL.</source>
        <translation>Software libre con licencia Apache 2.0. Qt se usa con licencia LGPL.</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Licencias</translation>
    </message>
</context>
<context>
    <name>SizeEditor</name>
    <message>
        <source>Per device</source>
        <translation>Por dispositivo</translation>
    </message>
    <message>
        <source>One GPU at least is used: to work without any, choose the processor under “GPU”.</source>
        <translation>Se usa al menos una GPU: para trabajar sin ninguna, elige el procesador en «GPU».</translation>
    </message>
</context>
<context>
    <name>SizeField</name>
    <message>
        <source>Shape</source>
        <translation>Forma</translation>
    </message>
    <message>
        <source>Sizes of this shape with the area the model was made for.</source>
        <translation>Tamaños de esta forma con el área para la que se hizo el modelo.</translation>
    </message>
    <message>
        <source>Width in pixels</source>
        <translation>Ancho en píxeles</translation>
    </message>
    <message>
        <source>Height in pixels</source>
        <translation>Alto en píxeles</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>Intercambiar ancho y alto</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>Ta&amp;maño</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Otra</translation>
    </message>
    <message>
        <source>Changed from {asked} to {used}: this model needs multiples of {factor}, from {low} to {high}.</source>
        <translation>Cambiado de {asked} a {used}: este modelo necesita múltiplos de {factor}, de {low} a {high}.</translation>
    </message>
    <message>
        <source>“{text}” is not a size: write 10 GiB, 80 % or Auto.</source>
        <translation>«{text}» no es un tamaño: escribe 10 GiB, 80 % o Auto.</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>no se usa</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message>
        <source>Progress</source>
        <translation>Progreso</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>Reiniciar el motor</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Empezando…</translation>
    </message>
    <message>
        <source>Stopping at once. The model must be loaded again for the next picture.</source>
        <translation>Deteniendo ya. Para la próxima imagen habrá que volver a cargar el modelo.</translation>
    </message>
    <message>
        <source>Stopping after this block…</source>
        <translation>Deteniendo tras este bloque…</translation>
    </message>
    <message>
        <source>Stop at once</source>
        <translation>Detener ya</translation>
    </message>
    <message>
        <source>Ends the engine now; the model must be loaded again.</source>
        <translation>Termina el motor ahora; habrá que volver a cargar el modelo.</translation>
    </message>
    <message>
        <source>The engine is starting: you can write your prompt meanwhile.</source>
        <translation>El motor está arrancando: mientras tanto puedes escribir el texto.</translation>
    </message>
    <message>
        <source>The engine stopped and is being started again.</source>
        <translation>El motor se detuvo y se está arrancando de nuevo.</translation>
    </message>
    <message>
        <source>The engine stopped three times in a minute and was not started again.</source>
        <translation>El motor se detuvo tres veces en un minuto y no se volvió a arrancar.</translation>
    </message>
    <message>
        <source>The engine cannot start.</source>
        <translation>El motor no puede arrancar.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Listo</translation>
    </message>
    <message numerus="yes">
        <source>Paused with %n job(s) in the queue.</source>
        <translation>
            <numerusform>En pausa con %n trabajo en la cola.</numerusform>
            <numerusform>En pausa con %n trabajos en la cola.</numerusform>
        </translation>
    </message>
    <message>
        <source>Denoising {step} of {steps}</source>
        <translation>Reduciendo el ruido {step} de {steps}</translation>
    </message>
    <message>
        <source>Picture {number} of {count}</source>
        <translation>Imagen {number} de {count}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>quedan {time}</translation>
    </message>
    <message numerus="yes">
        <source>%n more in the queue</source>
        <translation>
            <numerusform>%n más en la cola</numerusform>
            <numerusform>%n más en la cola</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TableWindow</name>
    <message>
        <source>Close</source>
        <translation>Cerrar</translation>
    </message>
</context>
<context>
    <name>TextEditor</name>
    <message>
        <source>none</source>
        <translation>ninguno</translation>
    </message>
    <message>
        <source>none: decode here</source>
        <translation>ninguno: aquí</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>“{text}” is not an address: it begins with https:// or http://.</source>
        <translation>«{text}» no es una dirección: empieza por https:// o http://.</translation>
    </message>
    <message>
        <source>“{text}” is not the name of a folder.</source>
        <translation>«{text}» no es el nombre de una carpeta.</translation>
    </message>
    <message>
        <source>“{text}” is not a list of patterns: separate them by commas, close every bracket.</source>
        <translation>«{text}» no es una lista de patrones: sepáralos con comas y cierra cada paréntesis.</translation>
    </message>
</context>
<context>
    <name>Viewer</name>
    <message>
        <source>Preview of the picture that is being made</source>
        <translation>Vista previa de la imagen en curso</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vista previa</translation>
    </message>
    <message>
        <source>This picture cannot be shown: {name}</source>
        <translation>Esta imagen no se puede mostrar: {name}</translation>
    </message>
    <message>
        <source>Fit to the window</source>
        <translation>Ajustar a la ventana</translation>
    </message>
    <message>
        <source>Show at 100 %</source>
        <translation>Mostrar al 100 %</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Más pequeño</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Más grande</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>Copiar la imagen</translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation>Mostrar en su carpeta</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Guardar como…</translation>
    </message>
    <message>
        <source>Use these settings again</source>
        <translation>Usar de nuevo estos ajustes</translation>
    </message>
    <message>
        <source>Delete to the trash</source>
        <translation>Enviar a la papelera</translation>
    </message>
</context>
<context>
    <name>core</name>
    <message>
        <source>width</source>
        <translation>ancho</translation>
    </message>
    <message>
        <source>height</source>
        <translation>alto</translation>
    </message>
    <message>
        <source>size</source>
        <translation>tamaño</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>pasos</translation>
    </message>
    <message>
        <source>guidance</source>
        <translation>guía</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>semilla</translation>
    </message>
    <message>
        <source>count</source>
        <translation>cantidad</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>fotogramas</translation>
    </message>
    <message>
        <source>frames per second</source>
        <translation>fotogramas por segundo</translation>
    </message>
    <message>
        <source>strength</source>
        <translation>fuerza</translation>
    </message>
    <message>
        <source>task</source>
        <translation>tarea</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>imagen</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>máscara</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>clip</translation>
    </message>
    <message>
        <source>number of LoRAs</source>
        <translation>número de LoRA</translation>
    </message>
    <message>
        <source>a LoRA&apos;s weight</source>
        <translation>el peso de un LoRA</translation>
    </message>
    <message>
        <source>The file {file} has {actual} bytes where its header says {expected}: it was cut or is still being copied.</source>
        <translation>El archivo {file} tiene {actual} bytes y su cabecera dice {expected}: está cortado o aún se está copiando.</translation>
    </message>
    <message>
        <source>The file {file} does not have the form that its name promises.</source>
        <translation>El archivo {file} no tiene la forma que promete su nombre.</translation>
    </message>
    <message>
        <source>The file {file} is not readable as JSON.</source>
        <translation>El archivo {file} no se puede leer como JSON.</translation>
    </message>
    <message>
        <source>The file {file} is a web page: the download was of the site&apos;s page, not of the model.</source>
        <translation>El archivo {file} es una página web: se descargó la página del sitio, no el modelo.</translation>
    </message>
    <message>
        <source>The file {file} is only a Git LFS pointer: the model itself was not fetched.</source>
        <translation>El archivo {file} es solo un puntero de Git LFS: el modelo no se descargó.</translation>
    </message>
    <message>
        <source>The file {file} is empty.</source>
        <translation>El archivo {file} está vacío.</translation>
    </message>
    <message>
        <source>The file {file} names a file outside the model&apos;s folder.</source>
        <translation>El archivo {file} nombra un archivo fuera de la carpeta del modelo.</translation>
    </message>
    <message>
        <source>The file {file} holds no weights.</source>
        <translation>El archivo {file} no contiene pesos.</translation>
    </message>
    <message>
        <source>The weights in {file} could not be read.</source>
        <translation>No se pudieron leer los pesos de {file}.</translation>
    </message>
    <message>
        <source>The weights in {file} and their configuration do not fit each other: one of the two is of another model.</source>
        <translation>Los pesos de {file} y su configuración no encajan: uno de los dos es de otro modelo.</translation>
    </message>
    <message>
        <source>Its contents match no kind of model that this program runs.</source>
        <translation>Su contenido no corresponde a ningún tipo de modelo que este programa ejecute.</translation>
    </message>
    <message>
        <source>It is made for “{name}”, which this program does not run.</source>
        <translation>Está hecho para «{name}», que este programa no ejecuta.</translation>
    </message>
    <message>
        <source>Its model_index.json does not say what kind of model it is.</source>
        <translation>Su model_index.json no dice qué tipo de modelo es.</translation>
    </message>
    <message>
        <source>The folder holds single model files ({files}) and no model_index.json.</source>
        <translation>La carpeta contiene archivos de modelo sueltos ({files}) y ningún model_index.json.</translation>
    </message>
    <message>
        <source>Single files of {name} cannot be read without a configuration.</source>
        <translation>Los archivos únicos de {name} no se pueden leer sin una configuración.</translation>
    </message>
    <message>
        <source>What {address} sent is not what such a server sends.</source>
        <translation>Lo que envió {address} no es lo que envía un servidor así.</translation>
    </message>
    <message>
        <source>What {address} sent has another size than the picture: it may serve another model.</source>
        <translation>Lo que envió {address} tiene otro tamaño que la imagen: puede que sirva a otro modelo.</translation>
    </message>
    <message>
        <source>What {address} sent breaks off.</source>
        <translation>Lo que envió {address} se interrumpe.</translation>
    </message>
    <message>
        <source>{address} sent more than the picture can have.</source>
        <translation>{address} envió más de lo que la imagen puede tener.</translation>
    </message>
    <message>
        <source>What {address} sent contains values that are not numbers.</source>
        <translation>Lo que envió {address} contiene valores que no son números.</translation>
    </message>
    <message>
        <source>{path} cannot be opened. It is left as it is, and changes to the settings are not kept.</source>
        <translation>{path} no se puede abrir. Se deja como está y los cambios en los ajustes no se guardan.</translation>
    </message>
    <message>
        <source>Download or copy the model again.</source>
        <translation>Descarga o copia el modelo de nuevo.</translation>
    </message>
    <message>
        <source>Check the address of the server, or leave it empty to decode here.</source>
        <translation>Comprueba la dirección del servidor o déjala vacía para decodificar aquí.</translation>
    </message>
    <message>
        <source>“headroom models” lists those that are found; the path of a folder or file works too.</source>
        <translation>«headroom models» muestra los que se encuentran; también sirve la ruta de una carpeta o un archivo.</translation>
    </message>
    <message>
        <source>{name} has no value.</source>
        <translation>{name} no tiene valor.</translation>
    </message>
    <message>
        <source>Write the setting, = and a value.</source>
        <translation>Escribe el ajuste, = y un valor.</translation>
    </message>
    <message>
        <source>“{value}” is no pattern of names for {name}.</source>
        <translation>«{value}» no es un patrón de nombres para {name}.</translation>
    </message>
    <message>
        <source>It cannot be read from character {position} on.</source>
        <translation>No se puede leer a partir del carácter {position}.</translation>
    </message>
    <message>
        <source>Write part of a layer&apos;s name, such as norm, or put \ before a bracket.</source>
        <translation>Escribe parte del nombre de una capa, como norm, o pon \ delante de un paréntesis.</translation>
    </message>
    <message>
        <source>This model has no part “{value}”.</source>
        <translation>Este modelo no tiene la parte «{value}».</translation>
    </message>
    <message>
        <source>Name one of its parts, or leave the setting out.</source>
        <translation>Nombra una de sus partes u omite el ajuste.</translation>
    </message>
    <message>
        <source>{name} cannot be used with this model.</source>
        <translation>{name} no se puede usar con este modelo.</translation>
    </message>
    <message>
        <source>Leave it out, or choose another model.</source>
        <translation>Omítelo o elige otro modelo.</translation>
    </message>
    <message>
        <source>No model is called “{path}”.</source>
        <translation>Ningún modelo se llama «{path}».</translation>
    </message>
    <message>
        <source>Nothing is at such a path either.</source>
        <translation>Tampoco hay nada en esa ruta.</translation>
    </message>
    <message>
        <source>The nearest names are: {near}.</source>
        <translation>Los nombres más parecidos son: {near}.</translation>
    </message>
    <message>
        <source>The folder {path} is there but takes no files: it is the system&apos;s own.</source>
        <translation>La carpeta {path} existe pero no admite archivos: es del propio sistema.</translation>
    </message>
    <message>
        <source>Choose another folder for the pictures.</source>
        <translation>Elige otra carpeta para las imágenes.</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>Esto es una carpeta, no un archivo.</translation>
    </message>
    <message>
        <source>A file is wanted, and {path} is a folder.</source>
        <translation>Se quiere un archivo, y {path} es una carpeta.</translation>
    </message>
    <message>
        <source>There is no prompt.</source>
        <translation>Falta el texto.</translation>
    </message>
    <message>
        <source>Nothing visible is written in it.</source>
        <translation>No hay nada visible escrito en él.</translation>
    </message>
    <message>
        <source>Write what the picture should show.</source>
        <translation>Escribe qué debe mostrar la imagen.</translation>
    </message>
    <message>
        <source>The prompt is too long.</source>
        <translation>El texto es demasiado largo.</translation>
    </message>
    <message>
        <source>It has {length} characters; {limit} are the most that can be stored.</source>
        <translation>Tiene {length} caracteres; se pueden guardar {limit} como máximo.</translation>
    </message>
    <message>
        <source>Shorten it: the model reads only the first few hundred words anyway.</source>
        <translation>Acórtalo: de todos modos el modelo solo lee los primeros cientos de palabras.</translation>
    </message>
    <message>
        <source>The value {value} for {name} cannot be used.</source>
        <translation>El valor {value} de {name} no se puede usar.</translation>
    </message>
    <message>
        <source>It must be between {low} and {high}.</source>
        <translation>Debe estar entre {low} y {high}.</translation>
    </message>
    <message>
        <source>Change it and try again.</source>
        <translation>Cámbialo e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>There is no setting “{name}”.</source>
        <translation>No existe el ajuste «{name}».</translation>
    </message>
    <message>
        <source>The settings are: {known}.</source>
        <translation>Los ajustes son: {known}.</translation>
    </message>
    <message>
        <source>Check its spelling.</source>
        <translation>Comprueba cómo está escrito.</translation>
    </message>
    <message>
        <source>“{value}” is not a value for {name}.</source>
        <translation>«{value}» no es un valor de {name}.</translation>
    </message>
    <message>
        <source>Possible values: {allowed}.</source>
        <translation>Valores posibles: {allowed}.</translation>
    </message>
    <message>
        <source>Nothing was given to begin from: {name}.</source>
        <translation>Falta de qué partir: {name}.</translation>
    </message>
    <message>
        <source>The task “{task}” changes something that is there already.</source>
        <translation>La tarea «{task}» cambia algo que ya existe.</translation>
    </message>
    <message>
        <source>Choose a file for it, or another task.</source>
        <translation>Elige un archivo para ello, u otra tarea.</translation>
    </message>
    <message>
        <source>{name} cannot be “{value}” here.</source>
        <translation>{name} no puede ser «{value}» aquí.</translation>
    </message>
    <message>
        <source>{reason}</source>
        <translation>{reason}</translation>
    </message>
    <message>
        <source>Choose another value, or Auto.</source>
        <translation>Elige otro valor, o Auto.</translation>
    </message>
    <message>
        <source>This will probably not fit on {device}.</source>
        <translation>Es probable que esto no quepa en {device}.</translation>
    </message>
    <message>
        <source>The weights need {need} at a time, besides working memory; {budget} may be used ({free} are free).</source>
        <translation>Los pesos necesitan {need} a la vez, además de la memoria de trabajo; se pueden usar {budget} (hay {free} libres).</translation>
    </message>
    <message>
        <source>Close other programs, raise the limit, make the picture smaller, or run it anyway.</source>
        <translation>Cierra otros programas, sube el límite, haz la imagen más pequeña o ejecútalo igualmente.</translation>
    </message>
    <message>
        <source>The device “{device}” is not there.</source>
        <translation>El dispositivo «{device}» no está.</translation>
    </message>
    <message>
        <source>This machine has: {devices}.</source>
        <translation>Este equipo tiene: {devices}.</translation>
    </message>
    <message>
        <source>Choose one of them, or Auto.</source>
        <translation>Elige uno de ellos, o Auto.</translation>
    </message>
    <message>
        <source>The model was not found.</source>
        <translation>No se encontró el modelo.</translation>
    </message>
    <message>
        <source>There is no readable folder or file at {path}.</source>
        <translation>No hay una carpeta ni un archivo legible en {path}.</translation>
    </message>
    <message>
        <source>There is no model in this folder.</source>
        <translation>No hay ningún modelo en esta carpeta.</translation>
    </message>
    <message>
        <source>{path} is empty.</source>
        <translation>{path} está vacía.</translation>
    </message>
    <message>
        <source>Choose the folder that holds model_index.json.</source>
        <translation>Elige la carpeta que contiene model_index.json.</translation>
    </message>
    <message>
        <source>The model is not complete.</source>
        <translation>El modelo no está completo.</translation>
    </message>
    <message>
        <source>{missing} is missing in {path}.</source>
        <translation>Falta {missing} en {path}.</translation>
    </message>
    <message>
        <source>The model is damaged.</source>
        <translation>El modelo está dañado.</translation>
    </message>
    <message>
        <source>This model was not opened.</source>
        <translation>Este modelo no se abrió.</translation>
    </message>
    <message>
        <source>{file} is in a format (pickle) that can run any program hidden in it.</source>
        <translation>{file} está en un formato (pickle) que puede ejecutar cualquier programa escondido en él.</translation>
    </message>
    <message>
        <source>Use the same model as .safetensors.</source>
        <translation>Usa el mismo modelo en .safetensors.</translation>
    </message>
    <message>
        <source>This model cannot be run.</source>
        <translation>Este modelo no se puede ejecutar.</translation>
    </message>
    <message>
        <source>Choose a diffusers folder or a .safetensors file of a model that is listed in the help.</source>
        <translation>Elige una carpeta de diffusers o un archivo .safetensors de un modelo que figure en la ayuda.</translation>
    </message>
    <message>
        <source>This model needs a newer version of Headroom.</source>
        <translation>Este modelo necesita una versión más nueva de Headroom.</translation>
    </message>
    <message>
        <source>It was made with diffusers {made} for “{name}”; this version has {ours}.</source>
        <translation>Se hizo con diffusers {made} para «{name}»; esta versión tiene {ours}.</translation>
    </message>
    <message>
        <source>Update Headroom, or choose another model.</source>
        <translation>Actualiza Headroom o elige otro modelo.</translation>
    </message>
    <message>
        <source>This file is only a part of a {family} model.</source>
        <translation>Este archivo es solo una parte de un modelo {family}.</translation>
    </message>
    <message>
        <source>It lacks: {parts}.</source>
        <translation>Le falta: {parts}.</translation>
    </message>
    <message>
        <source>Choose a file or folder with all parts.</source>
        <translation>Elige un archivo o una carpeta con todas las partes.</translation>
    </message>
    <message>
        <source>The picture could not be computed.</source>
        <translation>La imagen no se pudo calcular.</translation>
    </message>
    <message>
        <source>The weights of {part} contain values that are not numbers: the file is damaged.</source>
        <translation>Los pesos de {part} contienen valores que no son números: el archivo está dañado.</translation>
    </message>
    <message>
        <source>The picture was not saved.</source>
        <translation>La imagen no se guardó.</translation>
    </message>
    <message>
        <source>There is no folder {path}.</source>
        <translation>No existe la carpeta {path}.</translation>
    </message>
    <message>
        <source>Writing into {path} is not allowed.</source>
        <translation>No está permitido escribir en {path}.</translation>
    </message>
    <message>
        <source>{path} is a file, not a folder.</source>
        <translation>{path} es un archivo, no una carpeta.</translation>
    </message>
    <message>
        <source>Weights that are copied ahead give another result on this device: nothing was made.</source>
        <translation>Los pesos copiados antes dan otro resultado en este dispositivo: no se creó nada.</translation>
    </message>
    <message>
        <source>Set “Stream ahead” to Off.</source>
        <translation>Pon «Copiar antes» en No.</translation>
    </message>
    <message>
        <source>{path} exists already and nothing is overwritten.</source>
        <translation>{path} ya existe y no se sobrescribe nada.</translation>
    </message>
    <message>
        <source>The file {file} breaks off in its header: it was cut or is still being copied.</source>
        <translation>El archivo {file} se interrumpe en su cabecera: está cortado o aún se está copiando.</translation>
    </message>
    <message>
        <source>Its weights are stored in fp8 with scales beside them, which this program does not apply: the pictures would be white or black.</source>
        <translation>Sus pesos están guardados en fp8 con escalas aparte, que este programa no aplica: las imágenes saldrían blancas o negras.</translation>
    </message>
    <message>
        <source>{name} cannot take its weights from a GGUF file.</source>
        <translation>{name} no puede tomar sus pesos de un archivo GGUF.</translation>
    </message>
    <message>
        <source>Its GGUF file holds weights in a format that cannot be unpacked here: {name}.</source>
        <translation>Su archivo GGUF guarda pesos en un formato que aquí no se puede desempaquetar: {name}.</translation>
    </message>
    <message>
        <source>There are several GGUF files ({files}) in one folder: leave only one of them there.</source>
        <translation>Hay varios archivos GGUF ({files}) en una carpeta: deja solo uno de ellos.</translation>
    </message>
    <message>
        <source>{path} is the model itself, or inside it.</source>
        <translation>{path} es el propio modelo, o está dentro de él.</translation>
    </message>
    <message>
        <source>Only a model&apos;s folder of .safetensors can be written in parts.</source>
        <translation>Solo la carpeta de un modelo en .safetensors se puede escribir por partes.</translation>
    </message>
    <message>
        <source>It needs {needed} where {path} is to be, and {free} are free.</source>
        <translation>Necesita {needed} donde debe ir {path}, y hay {free} libres.</translation>
    </message>
    <message>
        <source>{path} did not read back as it was written.</source>
        <translation>{path} no se lee como se escribió.</translation>
    </message>
    <message>
        <source>Writing {path} failed.</source>
        <translation>Falló la escritura de {path}.</translation>
    </message>
    <message>
        <source>A GGUF file holds the denoiser alone; {parts} with the other parts is not beside it.</source>
        <translation>Un archivo GGUF contiene solo el reductor de ruido; {parts}, con las demás partes, no está a su lado.</translation>
    </message>
    <message>
        <source>Put it into the transformer folder of a diffusers model in place of its weights, or that folder beside it as {parts}.</source>
        <translation>Ponlo en la carpeta transformer de un modelo de diffusers en lugar de sus pesos, o pon esa carpeta a su lado como {parts}.</translation>
    </message>
    <message>
        <source>Check the path, or choose another model; “headroom models” lists those that are found.</source>
        <translation>Compruebe la ruta o elija otro modelo; «headroom models» muestra los que se encuentran.</translation>
    </message>
    <message>
        <source>The model was not copied.</source>
        <translation>El modelo no se copió.</translation>
    </message>
    <message>
        <source>Choose another folder, or make room; nothing half-written was kept.</source>
        <translation>Elige otra carpeta o haz sitio; no se conservó nada a medio escribir.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Elige otro nombre.</translation>
    </message>
    <message>
        <source>The name or path is longer than this drive allows: {path}</source>
        <translation>El nombre o la ruta es más largo de lo que admite esta unidad: {path}</translation>
    </message>
    <message>
        <source>Choose a shorter name.</source>
        <translation>Elige un nombre más corto.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>El disco está lleno.</translation>
    </message>
    <message>
        <source>There was no room left for {path}; nothing half-written was kept.</source>
        <translation>No quedaba sitio para {path}; no se conservó nada a medio escribir.</translation>
    </message>
    <message>
        <source>Free some space or choose a folder on another drive.</source>
        <translation>Libera espacio o elige una carpeta en otra unidad.</translation>
    </message>
    <message>
        <source>The file was not saved.</source>
        <translation>El archivo no se guardó.</translation>
    </message>
    <message>
        <source>Writing {path} failed, or it did not read back as written.</source>
        <translation>Falló la escritura de {path}, o no se lee como se escribió.</translation>
    </message>
    <message>
        <source>Check the drive, or choose another folder.</source>
        <translation>Comprueba la unidad o elige otra carpeta.</translation>
    </message>
    <message>
        <source>The picture came out blank and was not saved.</source>
        <translation>La imagen salió en blanco y no se guardó.</translation>
    </message>
    <message>
        <source>It is of one single colour.</source>
        <translation>Es de un solo color.</translation>
    </message>
    <message>
        <source>Try another seed, more steps, or precision float32.</source>
        <translation>Prueba otra semilla, más pasos o la precisión float32.</translation>
    </message>
    <message>
        <source>The picture could not be computed and was not saved.</source>
        <translation>La imagen no se pudo calcular y no se guardó.</translation>
    </message>
    <message>
        <source>The numbers overflowed on the way.</source>
        <translation>Los números se desbordaron por el camino.</translation>
    </message>
    <message>
        <source>Set the precision to float32 or bfloat16, or switch fp8 storage off.</source>
        <translation>Pon la precisión en float32 o bfloat16, o quita el guardado fp8.</translation>
    </message>
    <message>
        <source>This picture is too large to open.</source>
        <translation>Esta imagen es demasiado grande para abrirla.</translation>
    </message>
    <message>
        <source>It has {width} × {height} pixels.</source>
        <translation>Tiene {width} × {height} píxeles.</translation>
    </message>
    <message>
        <source>Make it smaller in another program first.</source>
        <translation>Hazla más pequeña antes en otro programa.</translation>
    </message>
    <message>
        <source>This picture could not be opened.</source>
        <translation>Esta imagen no se pudo abrir.</translation>
    </message>
    <message>
        <source>{path} is damaged, or not a picture.</source>
        <translation>{path} está dañado o no es una imagen.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Elige otro archivo.</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>Ese archivo no existe.</translation>
    </message>
    <message>
        <source>At {path} there is nothing that may be read.</source>
        <translation>En {path} no hay nada que se pueda leer.</translation>
    </message>
    <message>
        <source>Check the path, or choose another file.</source>
        <translation>Compruebe la ruta o elija otro archivo.</translation>
    </message>
    <message>
        <source>There was not enough memory on {device}.</source>
        <translation>No hubo memoria suficiente en {device}.</translation>
    </message>
    <message>
        <source>The work had taken {peak} when no more was to be had.</source>
        <translation>El trabajo ocupaba {peak} cuando no quedó más.</translation>
    </message>
    <message>
        <source>Choose “Lowest VRAM”, a smaller size, or VAE tiling; or close other programs.</source>
        <translation>Elige «Mínima VRAM», un tamaño menor o el VAE por teselas; o cierra otros programas.</translation>
    </message>
    <message>
        <source>Two equal passes of {part} came out {apart} apart.</source>
        <translation>Dos pasadas iguales de {part} difirieron en un {apart}.</translation>
    </message>
    <message>
        <source>The engine stopped in the middle of its work.</source>
        <translation>El motor se detuvo en mitad de su trabajo.</translation>
    </message>
    <message>
        <source>It ended by itself (code {code}); often the system had no memory left.</source>
        <translation>Terminó por sí mismo (código {code}); a menudo es que al sistema no le quedaba memoria.</translation>
    </message>
    <message>
        <source>Run the job again from the queue, with less memory if it happens again.</source>
        <translation>Ejecuta el trabajo otra vez desde la cola, con menos memoria si vuelve a ocurrir.</translation>
    </message>
    <message>
        <source>The engine stopped three times within a minute and was not started again.</source>
        <translation>El motor se detuvo tres veces en un minuto y no se volvió a arrancar.</translation>
    </message>
    <message>
        <source>Its log is at {log}.</source>
        <translation>Su registro está en {log}.</translation>
    </message>
    <message>
        <source>Look there, then choose Restart engine. The queue is kept.</source>
        <translation>Míralo y elige Reiniciar el motor. La cola se conserva.</translation>
    </message>
    <message>
        <source>The engine did not start.</source>
        <translation>El motor no arrancó.</translation>
    </message>
    <message>
        <source>Look there, then try again.</source>
        <translation>Míralo e inténtalo de nuevo.</translation>
    </message>
    <message>
        <source>A part of the program is missing.</source>
        <translation>Falta una parte del programa.</translation>
    </message>
    <message>
        <source>The package {package} does not load.</source>
        <translation>El paquete {package} no se carga.</translation>
    </message>
    <message>
        <source>Install Headroom again.</source>
        <translation>Instala Headroom de nuevo.</translation>
    </message>
    <message>
        <source>The server that should decode was not reached.</source>
        <translation>No se llegó al servidor que debía decodificar.</translation>
    </message>
    <message>
        <source>There is no connection to {address}.</source>
        <translation>No hay conexión con {address}.</translation>
    </message>
    <message>
        <source>The server that should decode did not answer.</source>
        <translation>El servidor que debía decodificar no respondió.</translation>
    </message>
    <message>
        <source>{address} was silent for too long.</source>
        <translation>{address} estuvo callado demasiado tiempo.</translation>
    </message>
    <message>
        <source>The server that should decode refused.</source>
        <translation>El servidor que debía decodificar se negó.</translation>
    </message>
    <message>
        <source>{address} answered with code {status}.</source>
        <translation>{address} respondió con el código {status}.</translation>
    </message>
    <message>
        <source>The server that should decode did not send a picture.</source>
        <translation>El servidor que debía decodificar no envió una imagen.</translation>
    </message>
    <message>
        <source>The settings were not read.</source>
        <translation>Los ajustes no se leyeron.</translation>
    </message>
    <message>
        <source>{path} was written by a newer version of Headroom; it is left untouched.</source>
        <translation>{path} lo escribió una versión más nueva de Headroom; no se toca.</translation>
    </message>
    <message>
        <source>Update Headroom. Until then changes to the settings are not kept.</source>
        <translation>Actualiza Headroom. Hasta entonces los cambios de ajustes no se guardan.</translation>
    </message>
    <message>
        <source>The settings could not be read.</source>
        <translation>Los ajustes no se pudieron leer.</translation>
    </message>
    <message>
        <source>{path} is damaged; it was kept under another name.</source>
        <translation>{path} está dañado; se conservó con otro nombre.</translation>
    </message>
    <message>
        <source>The settings start afresh.</source>
        <translation>Los ajustes empiezan de cero.</translation>
    </message>
    <message>
        <source>The program&apos;s files have no place.</source>
        <translation>Los archivos del programa no tienen sitio.</translation>
    </message>
    <message>
        <source>The system names no home folder for this user.</source>
        <translation>El sistema no indica ninguna carpeta personal para este usuario.</translation>
    </message>
    <message>
        <source>Set HEADROOM_HOME to a folder that can be written.</source>
        <translation>Indica en HEADROOM_HOME una carpeta en la que se pueda escribir.</translation>
    </message>
    <message>
        <source>The history of jobs cannot be used.</source>
        <translation>No se puede usar el historial de trabajos.</translation>
    </message>
    <message>
        <source>{path} cannot be opened or written, or another program holds it.</source>
        <translation>{path} no se puede abrir o escribir, u otro programa lo tiene ocupado.</translation>
    </message>
    <message>
        <source>Allow writing there, or set HEADROOM_HOME to another folder.</source>
        <translation>Permite escribir allí o indica otra carpeta en HEADROOM_HOME.</translation>
    </message>
    <message>
        <source>Headroom is running already.</source>
        <translation>Headroom ya está abierto.</translation>
    </message>
    <message>
        <source>Two windows would write over each other&apos;s settings and queue.</source>
        <translation>Dos ventanas se pisarían los ajustes y la cola.</translation>
    </message>
    <message>
        <source>Use the window that is open.</source>
        <translation>Usa la ventana que está abierta.</translation>
    </message>
    <message>
        <source>Something went wrong that the program did not foresee.</source>
        <translation>Ocurrió algo que el programa no había previsto.</translation>
    </message>
    <message>
        <source>The details help whoever looks into it; the log has more.</source>
        <translation>Los detalles ayudan a quien lo investigue; el registro tiene más.</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Sí</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>No</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Which device does the work: Auto takes the one with the most memory.</source>
        <translation>Qué dispositivo hace el trabajo: Auto toma el que tiene más memoria.</translation>
    </message>
    <message>
        <source>Maximum memory</source>
        <translation>Memoria máxima</translation>
    </message>
    <message>
        <source>The most this program may hold on that device: less leaves room for others but is slower.</source>
        <translation>Lo máximo que este programa puede ocupar en ese dispositivo: menos deja sitio a otros, pero es más lento.</translation>
    </message>
    <message>
        <source>None: all on the GPU</source>
        <translation>Ninguna: todo en la GPU</translation>
    </message>
    <message>
        <source>Model: one part at a time</source>
        <translation>Modelo: una parte a la vez</translation>
    </message>
    <message>
        <source>Sequential: one layer at a time</source>
        <translation>Secuencial: una capa a la vez</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Descarga</translation>
    </message>
    <message>
        <source>Keeps weights in main memory until they are needed: same picture, less GPU memory, slower.</source>
        <translation>Guarda los pesos en la memoria principal hasta que hacen falta: misma imagen, menos memoria de GPU, más lento.</translation>
    </message>
    <message>
        <source>E4M3: finer steps</source>
        <translation>E4M3: pasos más finos</translation>
    </message>
    <message>
        <source>E5M2: wider range</source>
        <translation>E5M2: rango más amplio</translation>
    </message>
    <message>
        <source>fp8 storage</source>
        <translation>Guardado fp8</translation>
    </message>
    <message>
        <source>Keeps weights in 8 bits: half the memory, slightly different pictures.</source>
        <translation>Guarda los pesos en 8 bits: la mitad de memoria, imágenes algo distintas.</translation>
    </message>
    <message>
        <source>VAE tiling</source>
        <translation>VAE por teselas</translation>
    </message>
    <message>
        <source>Decodes the picture in tiles: far less memory at the end, faint seams are possible.</source>
        <translation>Decodifica la imagen por teselas: mucha menos memoria al final, pueden quedar costuras tenues.</translation>
    </message>
    <message>
        <source>VAE slicing</source>
        <translation>VAE por partes</translation>
    </message>
    <message>
        <source>Decodes a batch one picture at a time; Headroom makes them one by one anyway.</source>
        <translation>Decodifica un lote imagen por imagen; Headroom las crea una a una de todos modos.</translation>
    </message>
    <message>
        <source>bfloat16</source>
        <translation>bfloat16</translation>
    </message>
    <message>
        <source>Group offload</source>
        <translation>Descarga por grupos</translation>
    </message>
    <message>
        <source>Number formats</source>
        <translation>Formatos de número</translation>
    </message>
    <message>
        <source>Decoder (VAE)</source>
        <translation>Decodificador (VAE)</translation>
    </message>
    <message>
        <source>Parts and GPUs</source>
        <translation>Partes y GPU</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Velocidad</translation>
    </message>
    <message>
        <source>What is kept</source>
        <translation>Lo que se conserva</translation>
    </message>
    <message>
        <source>Groups of blocks: one at a time</source>
        <translation>Grupos de bloques: uno a la vez</translation>
    </message>
    <message>
        <source>Groups of layers: one at a time</source>
        <translation>Grupos de capas: uno a la vez</translation>
    </message>
    <message>
        <source>Partial: as many blocks as fit stay</source>
        <translation>Parcial: se quedan los bloques que caben</translation>
    </message>
    <message>
        <source>bitsandbytes, 8 bits</source>
        <translation>bitsandbytes, 8 bits</translation>
    </message>
    <message>
        <source>bitsandbytes, 4 bits (nf4)</source>
        <translation>bitsandbytes, 4 bits (nf4)</translation>
    </message>
    <message>
        <source>torchao, int8</source>
        <translation>torchao, int8</translation>
    </message>
    <message>
        <source>torchao, fp8</source>
        <translation>torchao, fp8</translation>
    </message>
    <message>
        <source>For this part of the model alone.</source>
        <translation>Solo para esta parte del modelo.</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>Cuantización</translation>
    </message>
    <message>
        <source>Blocks per group</source>
        <translation>Bloques por grupo</translation>
    </message>
    <message>
        <source>How many blocks move at a time: more is faster and needs their memory at once.</source>
        <translation>Cuántos bloques se mueven a la vez: más es más rápido y pide su memoria de golpe.</translation>
    </message>
    <message>
        <source>Stream ahead</source>
        <translation>Copiar antes</translation>
    </message>
    <message>
        <source>Copies the next group while this one computes: faster, for up to twice the main memory.</source>
        <translation>Copia el grupo siguiente mientras este calcula: más rápido, con hasta el doble de memoria principal.</translation>
    </message>
    <message>
        <source>Record stream</source>
        <translation>Registrar el flujo</translation>
    </message>
    <message>
        <source>Leaves waiting to the allocator: a little faster, for a little more GPU memory.</source>
        <translation>Deja la espera al asignador: algo más rápido, con algo más de memoria de GPU.</translation>
    </message>
    <message>
        <source>Pin as needed</source>
        <translation>Fijar por grupos</translation>
    </message>
    <message>
        <source>Pins main memory group by group while streaming: far less of it, but slower copies.</source>
        <translation>Fija la memoria principal grupo a grupo al copiar: mucha menos, pero copias más lentas.</translation>
    </message>
    <message>
        <source>Non-blocking copies</source>
        <translation>Copias sin espera</translation>
    </message>
    <message>
        <source>Does not wait for each copy: a little faster with group offload, else no gain.</source>
        <translation>No espera a cada copia: algo más rápido con descarga por grupos; si no, sin ganancia.</translation>
    </message>
    <message>
        <source>Offload to disk</source>
        <translation>Descarga al disco</translation>
    </message>
    <message>
        <source>Groups wait in files, not in main memory: for little RAM, limited by the disk&apos;s speed.</source>
        <translation>Los grupos esperan en archivos y no en la memoria principal: para poca RAM, al ritmo del disco.</translation>
    </message>
    <message>
        <source>Folder for it</source>
        <translation>Su carpeta</translation>
    </message>
    <message>
        <source>Where those files lie while a model is loaded: a fast disk helps, they are deleted after.</source>
        <translation>Dónde están esos archivos mientras hay un modelo cargado: un disco rápido ayuda; luego se borran.</translation>
    </message>
    <message>
        <source>Packs the denoiser&apos;s weights in 8 or 4 bits: much less memory, but other pictures.</source>
        <translation>Empaqueta los pesos del reductor de ruido en 8 o 4 bits: mucha menos memoria, pero otras imágenes.</translation>
    </message>
    <message>
        <source>float16</source>
        <translation>float16</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precisión</translation>
    </message>
    <message>
        <source>The number format that computes: float32 doubles the memory of the 16-bit formats.</source>
        <translation>El formato de número que calcula: float32 ocupa el doble que los formatos de 16 bits.</translation>
    </message>
    <message>
        <source>fp8: keep modules</source>
        <translation>fp8: módulos a conservar</translation>
    </message>
    <message>
        <source>Layers whose names match these patterns keep 16 bits under fp8 storage: finer, but larger.</source>
        <translation>Las capas cuyo nombre cumple estos patrones conservan 16 bits con guardado fp8: más fino, pero mayor.</translation>
    </message>
    <message>
        <source>fp8: keep classes</source>
        <translation>fp8: clases a conservar</translation>
    </message>
    <message>
        <source>Layers of these classes, such as Linear, keep 16 bits under fp8 storage: finer, larger.</source>
        <translation>Las capas de estas clases, como Linear, conservan 16 bits con guardado fp8: más fino y mayor.</translation>
    </message>
    <message>
        <source>px</source>
        <translation>px</translation>
    </message>
    <message>
        <source>Tile size</source>
        <translation>Tamaño de tesela</translation>
    </message>
    <message>
        <source>A side of one VAE tile, 0 for a size that fits: smaller saves memory and shows more seams.</source>
        <translation>Lado de una tesela del VAE, 0 para un tamaño adecuado: menor ahorra memoria y deja ver más costuras.</translation>
    </message>
    <message>
        <source>Tile overlap</source>
        <translation>Solape de teselas</translation>
    </message>
    <message>
        <source>How much of a tile its neighbour covers too: more hides seams but decodes more tiles.</source>
        <translation>Cuánto de una tesela cubre también la vecina: más oculta costuras, pero decodifica más teselas.</translation>
    </message>
    <message>
        <source>Remote VAE</source>
        <translation>VAE remoto</translation>
    </message>
    <message>
        <source>A server that decodes instead of this machine: no memory here, but it sees your picture.</source>
        <translation>Un servidor que decodifica en lugar de este equipo: aquí no ocupa memoria, pero él ve tu imagen.</translation>
    </message>
    <message>
        <source>One GPU</source>
        <translation>Una GPU</translation>
    </message>
    <message>
        <source>Balanced: whole parts</source>
        <translation>Equilibrado: partes enteras</translation>
    </message>
    <message>
        <source>Split: the denoiser too</source>
        <translation>Dividido: también el reductor de ruido</translation>
    </message>
    <message>
        <source>Custom map</source>
        <translation>Mapa propio</translation>
    </message>
    <message>
        <source>Several GPUs</source>
        <translation>Varias GPU</translation>
    </message>
    <message>
        <source>Lays one model over several GPUs: it fits without offload, but they work in turn.</source>
        <translation>Reparte un modelo entre varias GPU: cabe sin descarga, pero trabajan por turnos.</translation>
    </message>
    <message>
        <source>Device map</source>
        <translation>Mapa de dispositivos</translation>
    </message>
    <message>
        <source>Where each part lies when the map is custom: a GPU, cpu or disk; the last two are slow.</source>
        <translation>Dónde está cada parte con el mapa propio: una GPU, cpu o disk; los dos últimos son lentos.</translation>
    </message>
    <message>
        <source>Single parts</source>
        <translation>Partes sueltas</translation>
    </message>
    <message>
        <source>Other values for one part of the model, such as its own GPU: for those who know it well.</source>
        <translation>Otros valores para una parte del modelo, como su propia GPU: para quien lo conoce bien.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Atención</translation>
    </message>
    <message>
        <source>Which kernel computes attention: some are faster, and all may change the last digits.</source>
        <translation>Qué núcleo calcula la atención: algunos son más rápidos y todos pueden cambiar los últimos dígitos.</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Compilar</translation>
    </message>
    <message>
        <source>Compiles the repeated blocks once: later steps are faster, the first takes minutes.</source>
        <translation>Compila una vez los bloques que se repiten: los pasos siguientes son más rápidos, el primero tarda minutos.</translation>
    </message>
    <message>
        <source>Channels last</source>
        <translation>Canales al final</translation>
    </message>
    <message>
        <source>Another order of the numbers in memory: less work memory on recent GPUs, else no gain.</source>
        <translation>Otro orden de los números en memoria: menos memoria de trabajo en GPU recientes, si no, sin ventaja.</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>Keep loaded</source>
        <translation>Mantener cargado</translation>
    </message>
    <message>
        <source>How long the model stays in memory after a job: the next one starts at once.</source>
        <translation>Cuánto se queda el modelo en memoria tras un trabajo: el siguiente empieza al momento.</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>Reserva</translation>
    </message>
    <message>
        <source>Memory always left free on the device, for the screen and other programs.</source>
        <translation>Memoria que siempre queda libre en el dispositivo, para la pantalla y otros programas.</translation>
    </message>
    <message>
        <source>This model was made with diffusers {made}, newer than this program&apos;s {ours}.</source>
        <translation>Este modelo se hizo con diffusers {made}, más nuevo que el {ours} de este programa.</translation>
    </message>
    <message>
        <source>Packed weights cannot wait in files.</source>
        <translation>Los pesos empaquetados no pueden esperar en archivos.</translation>
    </message>
    <message>
        <source>It acts only while groups are streamed ahead.</source>
        <translation>Solo actúa si los grupos se copian por adelantado.</translation>
    </message>
    <message>
        <source>Everything is in main memory already: there is no GPU memory to save on this device.</source>
        <translation>Todo está ya en la memoria principal: en este dispositivo no hay memoria de GPU que ahorrar.</translation>
    </message>
    <message>
        <source>It comes with a later version; group offload with a stream is nearest to it.</source>
        <translation>Llegará en otra versión; lo más parecido es la descarga por grupos con flujo.</translation>
    </message>
    <message>
        <source>This model&apos;s parts are: {known}.</source>
        <translation>Las partes de este modelo son: {known}.</translation>
    </message>
    <message>
        <source>A part cannot have it while the whole model has “{whole}”.</source>
        <translation>Una parte no puede tenerlo mientras el modelo entero tiene «{whole}».</translation>
    </message>
    <message>
        <source>This part has no list of blocks: it can move layer by layer.</source>
        <translation>Esta parte no tiene lista de bloques: se puede mover capa por capa.</translation>
    </message>
    <message>
        <source>While groups are streamed ahead each is one block: diffusers would set it to 1.</source>
        <translation>Si los grupos se copian por adelantado, cada uno es un bloque: diffusers lo pondría en 1.</translation>
    </message>
    <message>
        <source>It acts only on groups of blocks.</source>
        <translation>Solo actúa en grupos de bloques.</translation>
    </message>
    <message>
        <source>Weights packed by torchao cannot be pinned one by one.</source>
        <translation>Los pesos empaquetados por torchao no se pueden fijar uno por uno.</translation>
    </message>
    <message>
        <source>This device cannot copy while it computes.</source>
        <translation>Este dispositivo no puede copiar mientras calcula.</translation>
    </message>
    <message>
        <source>Apple&apos;s GPUs have no 8-bit float format.</source>
        <translation>Las GPU de Apple no tienen un formato de coma flotante de 8 bits.</translation>
    </message>
    <message>
        <source>{part} does not work with 8-bit storage.</source>
        <translation>{part} no funciona con guardado en 8 bits.</translation>
    </message>
    <message>
        <source>Its weights are packed already; 8-bit storage would only blur them.</source>
        <translation>Sus pesos ya están empaquetados; guardarlos en 8 bits solo los empeoraría.</translation>
    </message>
    <message>
        <source>No part of this model works with 8-bit storage.</source>
        <translation>Ninguna parte de este modelo funciona con guardado en 8 bits.</translation>
    </message>
    <message>
        <source>It is no class&apos;s name; write names such as Linear or Conv2d.</source>
        <translation>No es el nombre de una clase; escribe nombres como Linear o Conv2d.</translation>
    </message>
    <message>
        <source>{part} has too few linear layers for it, or loses too much.</source>
        <translation>{part} tiene muy pocas capas lineales para ello, o pierde demasiado.</translation>
    </message>
    <message>
        <source>bitsandbytes has no kernels for this device that diffusers would use.</source>
        <translation>bitsandbytes no tiene para este dispositivo núcleos que diffusers use.</translation>
    </message>
    <message>
        <source>Weights packed in this way cannot be split over several devices.</source>
        <translation>Los pesos empaquetados así no se pueden repartir entre varios dispositivos.</translation>
    </message>
    <message>
        <source>Weights packed in this way cannot be moved one by one.</source>
        <translation>Los pesos empaquetados así no se pueden mover uno a uno.</translation>
    </message>
    <message>
        <source>The library {package} is not installed. Install it with: pip install {package}</source>
        <translation>La biblioteca {package} no está instalada. Instálala con: pip install {package}</translation>
    </message>
    <message>
        <source>The devices here are: {known}.</source>
        <translation>Los dispositivos aquí son: {known}.</translation>
    </message>
    <message>
        <source>LoRA files were never tried with weights that bitsandbytes has packed.</source>
        <translation>Los archivos LoRA nunca se probaron con pesos empaquetados por bitsandbytes.</translation>
    </message>
    <message>
        <source>A device that the list leaves out is not used, and {device} is to do the work.</source>
        <translation>Un dispositivo que falta en la lista no se usa, y {device} debe hacer el trabajo.</translation>
    </message>
    <message>
        <source>There is no GPU to spread the model over.</source>
        <translation>No hay GPU entre las que repartir el modelo.</translation>
    </message>
    <message>
        <source>A spread model stays where it lies: it cannot be offloaded as well.</source>
        <translation>Un modelo repartido se queda donde está: no se puede descargar además.</translation>
    </message>
    <message>
        <source>There is only one device to lie on: {device}.</source>
        <translation>Solo hay un dispositivo donde colocarlo: {device}.</translation>
    </message>
    <message>
        <source>This model&apos;s denoiser does not say where it may be cut.</source>
        <translation>El reductor de ruido de este modelo no dice por dónde se puede cortar.</translation>
    </message>
    <message>
        <source>A custom spread needs a map: which part lies on which device.</source>
        <translation>Un reparto propio necesita un mapa: qué parte está en qué dispositivo.</translation>
    </message>
    <message>
        <source>This model&apos;s decoder cannot work in tiles.</source>
        <translation>El decodificador de este modelo no puede trabajar por teselas.</translation>
    </message>
    <message>
        <source>This model&apos;s decoder cannot work in slices.</source>
        <translation>El decodificador de este modelo no puede trabajar por partes.</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>Una dirección empieza por https:// o http://.</translation>
    </message>
    <message>
        <source>This model&apos;s layers do not listen to the choice of a kernel.</source>
        <translation>Las capas de este modelo no atienden a la elección de un núcleo.</translation>
    </message>
    <message>
        <source>The library {package} is not installed.</source>
        <translation>La biblioteca {package} no está instalada.</translation>
    </message>
    <message>
        <source>This kernel runs on NVIDIA&apos;s GPUs only.</source>
        <translation>Este núcleo solo funciona en GPU de NVIDIA.</translation>
    </message>
    <message>
        <source>The order matters to 2-D convolutions only, and this model has none.</source>
        <translation>El orden solo importa a las convoluciones 2-D, y este modelo no tiene ninguna.</translation>
    </message>
    <message>
        <source>The files of group offload hold numbers in the plain order only.</source>
        <translation>Los archivos de la descarga por grupos solo guardan los números en el orden simple.</translation>
    </message>
    <message>
        <source>This model does not name the blocks that repeat, so nothing can be compiled once for all.</source>
        <translation>Este modelo no indica qué bloques se repiten, así que nada se puede compilar una vez para todos.</translation>
    </message>
    <message>
        <source>With sequential offload no weight stays in place, which compiled code relies on.</source>
        <translation>Con descarga secuencial ningún peso queda en su sitio, y el código compilado cuenta con ello.</translation>
    </message>
    <message>
        <source>Compiled blocks move one at a time: another one&apos;s weights would still be on the host.</source>
        <translation>Los bloques compilados se mueven de uno en uno: los pesos de otro seguirían en la memoria principal.</translation>
    </message>
    <message>
        <source>torch has no compiler for this device here.</source>
        <translation>torch no tiene aquí compilador para este dispositivo.</translation>
    </message>
    <message>
        <source>This kind of model does not work with it.</source>
        <translation>Este tipo de modelo no funciona con ello.</translation>
    </message>
    <message>
        <source>Pictures are made one by one here, so there is nothing to slice.</source>
        <translation>Aquí las imágenes se crean una a una, así que no hay nada que partir.</translation>
    </message>
    <message>
        <source>Working memory is not estimated yet; a quarter of the room is kept for it.</source>
        <translation>La memoria de trabajo aún no se estima; se le guarda un cuarto del espacio.</translation>
    </message>
    <message>
        <source>At work it needs at most {need} of {budget}.</source>
        <translation>Al trabajar necesita como mucho {need} de {budget}.</translation>
    </message>
    <message>
        <source>At work it needs {need}, more than the {budget} that it may take: it may fail.</source>
        <translation>Al trabajar necesita {need}, más que los {budget} que puede usar: puede fallar.</translation>
    </message>
    <message>
        <source>Fits: weights take {need} of {budget} and stay there.</source>
        <translation>Cabe: los pesos ocupan {need} de {budget} y se quedan ahí.</translation>
    </message>
    <message>
        <source>Fits part by part: at most {need} of weights in {budget}, {streamed} wait in main memory; a little slower.</source>
        <translation>Cabe parte por parte: como máximo {need} de pesos en {budget}, {streamed} esperan en la memoria principal; algo más lento.</translation>
    </message>
    <message>
        <source>Fits layer by layer: {need} of weights at a time in {budget}, {streamed} wait in main memory; far slower.</source>
        <translation>Cabe capa por capa: {need} de pesos a la vez en {budget}, {streamed} esperan en la memoria principal; mucho más lento.</translation>
    </message>
    <message>
        <source>Fits block by block: {need} of weights at a time in {budget}, {streamed} wait in main memory; slower.</source>
        <translation>Cabe bloque por bloque: {need} de pesos a la vez en {budget}, {streamed} esperan en la memoria principal; más lento.</translation>
    </message>
    <message>
        <source>Fits in groups of a layer: {need} of weights at a time in {budget}, {streamed} wait in main memory; slower.</source>
        <translation>Cabe en grupos de una capa: {need} de pesos a la vez en {budget}, {streamed} esperan en la memoria principal; más lento.</translation>
    </message>
    <message>
        <source>Fits in part: {need} of weights stay in {budget}, {streamed} come in turn.</source>
        <translation>Cabe en parte: {need} de pesos se quedan en {budget}, {streamed} llegan por turnos.</translation>
    </message>
    <message>
        <source>8-bit storage is on because the weights would not fit otherwise; it changes the picture slightly.</source>
        <translation>El guardado en 8 bits está activo porque si no los pesos no cabrían; cambia un poco la imagen.</translation>
    </message>
    <message>
        <source>On the processor the limit is checked beforehand but cannot be enforced.</source>
        <translation>En el procesador el límite se comprueba antes, pero no se puede imponer.</translation>
    </message>
    <message>
        <source>Without “Stream ahead” each group is also copied back to main memory: twice the traffic.</source>
        <translation>Sin «Copiar antes», cada grupo también se copia de vuelta a la memoria principal: el doble de tráfico.</translation>
    </message>
    <message>
        <source>{size} of the weights stand in no block: for a whole pass they lie there and are not copied ahead.</source>
        <translation>{size} de los pesos no están en ningún bloque: quedan allí toda la pasada y no se copian antes.</translation>
    </message>
    <message>
        <source>Up to {need} of main memory are needed, more than its limit of {limit}. Offload to disk needs less.</source>
        <translation>Se necesitan hasta {need} de memoria principal, más que su límite de {limit}. La descarga a disco necesita menos.</translation>
    </message>
    <message>
        <source>Up to {need} of main memory are needed and {free} are free: the system may stop the program. Offload to disk needs less.</source>
        <translation>Se necesitan hasta {need} de memoria principal y hay {free} libres: el sistema podría detener el programa. La descarga al disco necesita menos.</translation>
    </message>
    <message>
        <source>{part} is packed in its file already.</source>
        <translation>{part} ya viene empaquetado en su archivo.</translation>
    </message>
    <message>
        <source>{part} has no list of blocks, so it moves layer by layer.</source>
        <translation>{part} no tiene lista de bloques, así que se mueve capa por capa.</translation>
    </message>
    <message>
        <source>{part} waits in main memory: two of its layers share weights, which files would part.</source>
        <translation>{part} espera en la memoria principal: dos de sus capas comparten pesos que los archivos separarían.</translation>
    </message>
    <message>
        <source>VAE tiling is off: at this size one tile would cover the whole picture.</source>
        <translation>El VAE por teselas está desactivado: con este tamaño una tesela cubriría toda la imagen.</translation>
    </message>
    <message>
        <source>VAE tiling is on ({tile} px) because decoding in one piece may not fit; faint seams are possible.</source>
        <translation>El VAE por teselas está activo ({tile} px) porque decodificar de una pieza puede no caber; pueden quedar costuras tenues.</translation>
    </message>
    <message>
        <source>Tiles of {asked} px cannot be had here: they are of {tile} px.</source>
        <translation>Aquí no son posibles teselas de {asked} px: son de {tile} px.</translation>
    </message>
    <message>
        <source>Fits my GPU</source>
        <translation>Cabe en mi GPU</translation>
    </message>
    <message>
        <source>The fastest way that fits and keeps the picture exact, before ways that change it.</source>
        <translation>La forma más rápida que cabe y conserva la imagen exacta, antes que las que la cambian.</translation>
    </message>
    <message>
        <source>Fastest</source>
        <translation>Lo más rápido</translation>
    </message>
    <message>
        <source>All on the GPU if the weights fit there at all.</source>
        <translation>Todo en la GPU si los pesos caben de algún modo.</translation>
    </message>
    <message>
        <source>Lowest VRAM</source>
        <translation>Mínima VRAM</translation>
    </message>
    <message>
        <source>As little GPU memory as possible, however slow; tiles may leave faint seams.</source>
        <translation>La menor memoria de GPU posible, por lento que sea; las teselas pueden dejar costuras tenues.</translation>
    </message>
    <message>
        <source>Characters that no font or model knows were left out of the prompt.</source>
        <translation>Se quitaron del texto caracteres que ninguna fuente ni modelo conoce.</translation>
    </message>
    <message>
        <source>{tags} was taken out of the prompt: this version does not load extra networks by tags.</source>
        <translation>Se quitó {tags} del texto: esta versión no carga redes adicionales por etiquetas.</translation>
    </message>
    <message>
        <source>Weights such as (word:1.3) or word++ are read as plain text here.</source>
        <translation>Los pesos como (palabra:1.3) o palabra++ se leen aquí como texto normal.</translation>
    </message>
    <message>
        <source>This model takes no guidance: the value is not used.</source>
        <translation>Este modelo no admite guía: el valor no se usa.</translation>
    </message>
    <message>
        <source>This model makes single pictures: the number of frames is not used.</source>
        <translation>Este modelo hace imágenes sueltas: el número de fotogramas no se usa.</translation>
    </message>
    <message>
        <source>The number of frames was changed from {asked} to {used}: this model makes {factor}k + 1.</source>
        <translation>El número de fotogramas se cambió de {asked} a {used}: este modelo hace {factor}k + 1.</translation>
    </message>
    <message>
        <source>The size was changed from {asked} to {used}, the only one that this model makes.</source>
        <translation>El tamaño se cambió de {asked} a {used}, el único que este modelo hace.</translation>
    </message>
    <message>
        <source>The size was changed from {asked} to {used}: this model needs multiples of {factor}, from {low} to {high}.</source>
        <translation>El tamaño se cambió de {asked} a {used}: este modelo necesita múltiplos de {factor}, de {low} a {high}.</translation>
    </message>
    <message>
        <source>This model takes no negative prompt: it is not used.</source>
        <translation>Este modelo no admite texto negativo: no se usa.</translation>
    </message>
    <message>
        <source>The model reads only the beginning of the prompt. Not read: {words}</source>
        <translation>El modelo solo lee el principio del texto. No leído: {words}</translation>
    </message>
    <message>
        <source>The model reads only the beginning of the negative prompt. Not read: {words}</source>
        <translation>El modelo solo lee el principio del texto negativo. No leído: {words}</translation>
    </message>
    <message>
        <source>First text encoder</source>
        <translation>Primer codificador de texto</translation>
    </message>
    <message>
        <source>Second text encoder</source>
        <translation>Segundo codificador de texto</translation>
    </message>
    <message>
        <source>Text encoder</source>
        <translation>Codificador de texto</translation>
    </message>
    <message>
        <source>Denoiser</source>
        <translation>Reductor de ruido</translation>
    </message>
    <message>
        <source>Video decoder</source>
        <translation>Decodificador de vídeo</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Separador de palabras</translation>
    </message>
    <message>
        <source>Picture decoder</source>
        <translation>Decodificador de imagen</translation>
    </message>
    <message>
        <source>First tokenizer</source>
        <translation>Primer separador de palabras</translation>
    </message>
    <message>
        <source>Second tokenizer</source>
        <translation>Segundo separador de palabras</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Planificador</translation>
    </message>
    <message>
        <source>The history of jobs was damaged. It was kept as {name} and a new one begun.</source>
        <translation>El historial de trabajos estaba dañado. Se conservó como {name} y se empezó otro.</translation>
    </message>
    <message>
        <source>The history of jobs is a newer Headroom&apos;s. It is left alone; a new one begins.</source>
        <translation>El historial de trabajos es de un Headroom más nuevo. No se toca; se empieza otro.</translation>
    </message>
    <message>
        <source>The saved value {value} for {name} cannot be used and was dropped.</source>
        <translation>El valor guardado {value} de {name} no se puede usar y se descartó.</translation>
    </message>
    <message>
        <source>It acts only while groups are offloaded.</source>
        <translation>Solo actúa con descarga por grupos.</translation>
    </message>
    <message>
        <source>It acts only with offload to disk.</source>
        <translation>Solo actúa con descarga al disco.</translation>
    </message>
    <message>
        <source>It acts only with fp8 storage.</source>
        <translation>Solo actúa con guardado fp8.</translation>
    </message>
    <message>
        <source>A server decodes: nothing is decoded here.</source>
        <translation>Decodifica un servidor: aquí no se decodifica nada.</translation>
    </message>
    <message>
        <source>It acts only while the VAE works in tiles.</source>
        <translation>Solo actúa mientras el VAE trabaja por teselas.</translation>
    </message>
    <message>
        <source>It acts only with the custom map.</source>
        <translation>Solo actúa con el mapa propio.</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Cargando el modelo</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Leyendo el texto</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Quitando ruido</translation>
    </message>
    <message>
        <source>Decoding the picture</source>
        <translation>Decodificando la imagen</translation>
    </message>
    <message>
        <source>Writing the file</source>
        <translation>Escribiendo el archivo</translation>
    </message>
    <message>
        <source>on {device}</source>
        <translation>en {device}</translation>
    </message>
    <message>
        <source>in {rest}, whole on {device} while it works</source>
        <translation>en {rest}, entera en {device} mientras trabaja</translation>
    </message>
    <message>
        <source>in {rest}, one layer at a time on {device}</source>
        <translation>en {rest}, una capa a la vez en {device}</translation>
    </message>
    <message>
        <source>in {rest}, in groups of blocks on {device}</source>
        <translation>en {rest}, en grupos de bloques en {device}</translation>
    </message>
    <message>
        <source>in {rest}, in groups of a layer on {device}</source>
        <translation>en {rest}, en grupos de una capa en {device}</translation>
    </message>
    <message>
        <source>as much as fits on {device}, the rest in {rest}</source>
        <translation>lo que cabe en {device}, el resto en {rest}</translation>
    </message>
    <message>
        <source>in main memory</source>
        <translation>en la memoria principal</translation>
    </message>
    <message>
        <source>in files</source>
        <translation>en archivos</translation>
    </message>
    <message>
        <source>on the server {address}</source>
        <translation>en el servidor {address}</translation>
    </message>
    <message>
        <source>{where}; {format}</source>
        <translation>{where}; {format}</translation>
    </message>
    <message>
        <source>split over the GPUs as they have room</source>
        <translation>repartida entre las GPU según su sitio libre</translation>
    </message>
    <message>
        <source>files</source>
        <translation>archivos</translation>
    </message>
    <message>
        <source>main memory</source>
        <translation>memoria principal</translation>
    </message>
    <message>
        <source>Picture encoder</source>
        <translation>Codificador de imagen</translation>
    </message>
    <message>
        <source>Second denoiser</source>
        <translation>Segundo reductor de ruido</translation>
    </message>
    <message>
        <source>Picture scaler</source>
        <translation>Escalador de imagen</translation>
    </message>
    <message>
        <source>The weights in this file are packed in another way.</source>
        <translation>Los pesos de este archivo están empaquetados de otro modo.</translation>
    </message>
    <message>
        <source>Shapes (built in)</source>
        <translation>Formas (incluido)</translation>
    </message>
    <message>
        <source>The given clip has {given} frames and {asked} are made: its last one stands still for the rest.</source>
        <translation>El clip dado tiene {given} fotogramas y se hacen {asked}: el último queda quieto el resto.</translation>
    </message>
    <message>
        <source>No layer&apos;s name matches it.</source>
        <translation>Ningún nombre de capa coincide.</translation>
    </message>
    <message>
        <source>The model has no such layers. It has: {known}.</source>
        <translation>El modelo no tiene capas así. Tiene: {known}.</translation>
    </message>
    <message>
        <source>{file}: {count} of its {total} layers are not used by this model: {names}</source>
        <translation>{file}: este modelo no usa {count} de sus {total} capas: {names}</translation>
    </message>
    <message>
        <source>{file} is a {name}, a kind of file that this program does not apply.</source>
        <translation>{file} es un {name}, una clase de archivo que este programa no aplica.</translation>
    </message>
    <message>
        <source>{name} takes no LoRA files here.</source>
        <translation>{name} no admite archivos LoRA aquí.</translation>
    </message>
    <message>
        <source>{file} holds layers that are not used here, and settings that count for all of them together.</source>
        <translation>{file} contiene capas que aquí no se usan y ajustes que valen para todas juntas.</translation>
    </message>
    <message>
        <source>It was made for {made}; the model is “{model}” ({family}). 0 of its {total} layers fit.</source>
        <translation>Se hizo para {made}; el modelo es «{model}» ({family}). Encajan 0 de sus {total} capas.</translation>
    </message>
    <message>
        <source>For which model it was made cannot be told; the model is “{model}” ({family}). 0 of its {total} layers fit.</source>
        <translation>No se puede saber para qué modelo se hizo; el modelo es «{model}» ({family}). Encajan 0 de sus {total} capas.</translation>
    </message>
    <message>
        <source>{misfits} of its {total} layers have another size than those of “{model}” ({family}).</source>
        <translation>{misfits} de sus {total} capas tienen otro tamaño que las de «{model}» ({family}).</translation>
    </message>
    <message>
        <source>Its weights could not be put into “{model}” ({family}).</source>
        <translation>Sus pesos no se pudieron poner en «{model}» ({family}).</translation>
    </message>
    <message>
        <source>The LoRA file was not found.</source>
        <translation>No se encontró el archivo LoRA.</translation>
    </message>
    <message>
        <source>There is no readable file at {path}.</source>
        <translation>No hay ningún archivo legible en {path}.</translation>
    </message>
    <message>
        <source>Check the path, or take the LoRA out of the list.</source>
        <translation>Compruebe la ruta o quite el LoRA de la lista.</translation>
    </message>
    <message>
        <source>The LoRA file is damaged.</source>
        <translation>El archivo LoRA está dañado.</translation>
    </message>
    <message>
        <source>Download or copy the file again.</source>
        <translation>Descargue o copie el archivo de nuevo.</translation>
    </message>
    <message>
        <source>This LoRA file cannot be used.</source>
        <translation>Este archivo LoRA no se puede usar.</translation>
    </message>
    <message>
        <source>Take it out of the list, or choose another file.</source>
        <translation>Quítelo de la lista o elija otro archivo.</translation>
    </message>
    <message>
        <source>The LoRA file {file} does not fit the model.</source>
        <translation>El archivo LoRA {file} no encaja en el modelo.</translation>
    </message>
    <message>
        <source>Choose the model that it was made for, or take the LoRA out of the list.</source>
        <translation>Elija el modelo para el que se hizo o quite el LoRA de la lista.</translation>
    </message>
    <message>
        <source>This model does {tasks}.</source>
        <translation>Este modelo hace {tasks}.</translation>
    </message>
    <message>
        <source>{option} changes nothing here: the task is {task}.</source>
        <translation>{option} no cambia nada aquí: la tarea es {task}.</translation>
    </message>
    <message>
        <source>What an earlier copy left unfinished was removed: {path}</source>
        <translation>Se eliminó lo que una copia anterior dejó sin terminar: {path}</translation>
    </message>
</context>
<context>
    <name>demo</name>
    <message>
        <source>One flat shape (circle, square, triangle, star, heart or ring), small or big, in one of ten colours and five places, on a background of another of those colours.</source>
        <translation>Una figura plana (círculo, cuadrado, triángulo, estrella, corazón o anillo), pequeña o grande, en uno de diez colores y cinco lugares, sobre un fondo de otro de esos colores.</translation>
    </message>
</context>
</TS>
