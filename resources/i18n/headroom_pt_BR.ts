<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="pt_BR" sourcelanguage="en">
<context>
    <name>ClipFields</name>
    <message>
        <source>&amp;Frames</source>
        <translation>&amp;Quadros</translation>
    </message>
    <message>
        <source>How many pictures the clip has: more take longer.</source>
        <translation>Quantas imagens o clipe tem: mais demoram mais.</translation>
    </message>
    <message>
        <source>Frames a secon&amp;d</source>
        <translation>Quadros por segun&amp;do</translation>
    </message>
    <message>
        <source>How fast they follow one another when the clip plays.</source>
        <translation>Com que rapidez se sucedem quando o clipe toca.</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Generate</source>
        <translation>Gerar</translation>
    </message>
    <message>
        <source>Cancel what runs</source>
        <translation>Cancelar o que está rodando</translation>
    </message>
    <message>
        <source>Close messages, go to Cancel</source>
        <translation>Fechar mensagens, ir a Cancelar</translation>
    </message>
    <message>
        <source>Go to the prompt</source>
        <translation>Ir ao texto</translation>
    </message>
    <message>
        <source>Go to the results</source>
        <translation>Ir aos resultados</translation>
    </message>
    <message>
        <source>Go to the queue</source>
        <translation>Ir à fila</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Abrir uma pasta de modelo</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Abrir um arquivo de modelo</translation>
    </message>
    <message>
        <source>Save the picture as</source>
        <translation>Salvar a imagem como</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>Copiar a imagem</translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation>Mostrar na pasta</translation>
    </message>
    <message>
        <source>Use its settings again</source>
        <translation>Usar de novo as configurações dela</translation>
    </message>
    <message>
        <source>Delete to the trash</source>
        <translation>Enviar para a lixeira</translation>
    </message>
    <message>
        <source>Fit to the window</source>
        <translation>Ajustar à janela</translation>
    </message>
    <message>
        <source>Show at 100 %</source>
        <translation>Mostrar em 100 %</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Maior</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Menor</translation>
    </message>
    <message>
        <source>Prompt panel</source>
        <translation>Painel do texto</translation>
    </message>
    <message>
        <source>Memory panel</source>
        <translation>Painel de memória</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Claro ou escuro</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>This help</source>
        <translation>Esta ajuda</translation>
    </message>
    <message>
        <source>Close the program</source>
        <translation>Fechar o programa</translation>
    </message>
</context>
<context>
    <name>DeviceChart</name>
    <message>
        <source>{name}: Headroom holds {held}, other programs {others}, {free} of {total} are free. Most held in the last two minutes: {most}.</source>
        <translation>{name}: o Headroom ocupa {held}, outros programas {others}, restam livres {free} de {total}. Máximo ocupado nos últimos dois minutos: {most}.</translation>
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
        <translation>{device} (não encontrado)</translation>
    </message>
</context>
<context>
    <name>EmptyState</name>
    <message>
        <source>What should the picture show?</source>
        <translation>O que a imagem deve mostrar?</translation>
    </message>
    <message>
        <source>Write it on the left, then press Generate.</source>
        <translation>Escreva à esquerda e pressione Gerar.</translation>
    </message>
    <message>
        <source>Write it on the left, then press Generate. {model} makes it.</source>
        <translation>Escreva à esquerda e pressione Gerar. {model} cria a imagem.</translation>
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
        <translation>Detalhes do erro</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Detalhes</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Copies the message and its details</source>
        <translation>Copia a mensagem e seus detalhes</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>Log file: {path}</source>
        <translation>Arquivo de registro: {path}</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>Reiniciar o motor</translation>
    </message>
    <message>
        <source>Open log</source>
        <translation>Abrir o registro</translation>
    </message>
</context>
<context>
    <name>FolderEditor</name>
    <message>
        <source>Choose a folder</source>
        <translation>Escolher uma pasta</translation>
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
        <translation>Imagens prontas, a mais recente primeiro; podem ser arrastadas para fora como arquivos.</translation>
    </message>
    <message>
        <source>Finished pictures appear here, the newest first.</source>
        <translation>As imagens prontas aparecem aqui, a mais recente primeiro.</translation>
    </message>
</context>
<context>
    <name>Generator</name>
    <message>
        <source>Write here what the picture should show, then press Generate.</source>
        <translation>Escreva aqui o que a imagem deve mostrar e pressione Gerar.</translation>
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
        <translation>Painel do texto</translation>
    </message>
    <message>
        <source>Memory panel</source>
        <translation>Painel de memória</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Claro ou escuro</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>Help and shortcuts</source>
        <translation>Ajuda e atalhos</translation>
    </message>
    <message>
        <source>Looking at this machine…</source>
        <translation>Examinando este computador…</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help and shortcuts</source>
        <translation>Ajuda e atalhos</translation>
    </message>
    <message>
        <source>How it works</source>
        <translation>Como funciona</translation>
    </message>
    <message>
        <source>Write what the picture should show, press Generate, and find the file in the results below the viewer. The memory panel on the right says what will run and whether it fits; it can stay on Auto.</source>
        <translation>Escreva o que a imagem deve mostrar, pressione Gerar e encontre o arquivo nos resultados, abaixo do visualizador. O painel de memória, à direita, diz o que vai rodar e se cabe; pode ficar em Auto.</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Teclas</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
</context>
<context>
    <name>JobDesk</name>
    <message numerus="yes">
        <source>Interrupted when the program last ended: %n job(s).</source>
        <translation>
            <numerusform>Interrompido quando o programa terminou da última vez: %n trabalho.</numerusform>
            <numerusform>Interrompidos quando o programa terminou da última vez: %n trabalhos.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Still in the queue: %n job(s).</source>
        <translation>
            <numerusform>Ainda na fila: %n trabalho.</numerusform>
            <numerusform>Ainda na fila: %n trabalhos.</numerusform>
        </translation>
    </message>
    <message>
        <source>Run them</source>
        <translation>Executar</translation>
    </message>
    <message>
        <source>Close Headroom</source>
        <translation>Fechar o Headroom</translation>
    </message>
    <message>
        <source>A picture is being made. Closing stops it; waiting jobs stay in the queue.</source>
        <translation>Uma imagem está sendo criada. Fechar a interrompe; os trabalhos em espera ficam na fila.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Parar e fechar</translation>
    </message>
    <message>
        <source>Keep working</source>
        <translation>Continuar trabalhando</translation>
    </message>
    <message>
        <source>Starts as soon as the engine is up</source>
        <translation>Começa assim que o motor estiver pronto</translation>
    </message>
    <message numerus="yes">
        <source>Waits behind %n job(s)</source>
        <translation>
            <numerusform>Espera atrás de %n trabalho</numerusform>
            <numerusform>Espera atrás de %n trabalhos</numerusform>
        </translation>
    </message>
    <message>
        <source>about {time}</source>
        <translation>cerca de {time}</translation>
    </message>
    <message>
        <source>Turn “Stream ahead” off</source>
        <translation>Desligar “Copiar antes”</translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s) done</source>
        <translation>
            <numerusform>%n imagem pronta</numerusform>
            <numerusform>%n imagens prontas</numerusform>
        </translation>
    </message>
    <message>
        <source>Run the job again</source>
        <translation>Executar de novo</translation>
    </message>
    <message>
        <source>Run anyway</source>
        <translation>Executar mesmo assim</translation>
    </message>
</context>
<context>
    <name>KnobRow</name>
    <message>
        <source>Not here: {choices}. {reason}</source>
        <translation>Aqui não: {choices}. {reason}</translation>
    </message>
    <message>
        <source>picture may differ</source>
        <translation>pode variar</translation>
    </message>
    <message>
        <source>same picture</source>
        <translation>mesma imagem</translation>
    </message>
</context>
<context>
    <name>LoraList</name>
    <message>
        <source>Add…</source>
        <translation>Adicionar…</translation>
    </message>
    <message>
        <source>Add a LoRA file</source>
        <translation>Adicionar um arquivo LoRA</translation>
    </message>
    <message>
        <source>A small file that teaches the model a style or a thing. It must fit the chosen model.</source>
        <translation>Um arquivo pequeno que ensina ao modelo um estilo ou uma coisa. Ele deve servir para o modelo escolhido.</translation>
    </message>
    <message>
        <source>&amp;LoRA</source>
        <translation>&amp;LoRA</translation>
    </message>
    <message>
        <source>LoRA files (*.safetensors)</source>
        <translation>Arquivos LoRA (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Todos os arquivos (*)</translation>
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
        <translation>Com que força o LoRA age: 1 como foi treinado, 0 nada.</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>Remover {name}</translation>
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
        <translation>Fila ({count})</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Fila</translation>
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
        <translation>As partes sem linha ficam na GPU escolhida. Um ponto nomeia um módulo dentro de uma parte, como unet.mid_block; o resto da parte fica onde diz a sua própria linha.</translation>
    </message>
    <message>
        <source>Part or module</source>
        <translation>Parte ou módulo</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Lugar</translation>
    </message>
    <message>
        <source>Add a row</source>
        <translation>Adicionar uma linha</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>De um arquivo…</translation>
    </message>
    <message>
        <source>To a file…</source>
        <translation>Para um arquivo…</translation>
    </message>
    <message>
        <source>“{file}” holds no map: it must be JSON such as {example}.</source>
        <translation>“{file}” não contém um mapa: deve ser JSON como {example}.</translation>
    </message>
    <message>
        <source>“{file}” could not be written: {reason}</source>
        <translation>Não foi possível gravar “{file}”: {reason}</translation>
    </message>
    <message>
        <source>A device map</source>
        <translation>Um mapa de dispositivos</translation>
    </message>
    <message>
        <source>{device} (not found)</source>
        <translation>{device} (não encontrado)</translation>
    </message>
    <message>
        <source>Place of {part}</source>
        <translation>Lugar de {part}</translation>
    </message>
    <message>
        <source>Remove this row</source>
        <translation>Remover esta linha</translation>
    </message>
    <message>
        <source>“{part}” stands twice: remove one of its rows.</source>
        <translation>“{part}” aparece duas vezes: remova uma das linhas.</translation>
    </message>
    <message>
        <source>This model has no “{part}”. Its parts are: {known}.</source>
        <translation>Este modelo não tem “{part}”. Suas partes são: {known}.</translation>
    </message>
    <message>
        <source>A row without a part has no effect.</source>
        <translation>Uma linha sem parte não tem efeito.</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Preset</source>
        <translation>Predefinição</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mais</translation>
    </message>
    <message>
        <source>Where things lie</source>
        <translation>Onde fica cada parte</translation>
    </message>
    <message>
        <source>Custom (from {preset})</source>
        <translation>Próprio (de {preset})</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Próprio</translation>
    </message>
    <message>
        <source>The engine is starting: what this machine has is not known yet.</source>
        <translation>O motor está iniciando: ainda não se sabe o que este computador tem.</translation>
    </message>
    <message>
        <source>No GPU was found: the processor makes the pictures, in main memory.</source>
        <translation>Nenhuma GPU foi encontrada: o processador cria as imagens, na memória principal.</translation>
    </message>
    <message>
        <source>Choose a model to see what it needs.</source>
        <translation>Escolha um modelo para ver do que ele precisa.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memória</translation>
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
        <translation>Uma pasta do diffusers ou um único arquivo safetensors (Ctrl+O)</translation>
    </message>
    <message>
        <source>Model &amp;folder…</source>
        <translation>&amp;Pasta do modelo…</translation>
    </message>
    <message>
        <source>Single &amp;file…</source>
        <translation>&amp;Arquivo único…</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Abrir uma pasta de modelo</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Abrir um arquivo de modelo</translation>
    </message>
    <message>
        <source>Models (*.safetensors)</source>
        <translation>Modelos (*.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Todos os arquivos (*)</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Do this</source>
        <translation>Fazer isso</translation>
    </message>
    <message>
        <source>Close the notice</source>
        <translation>Fechar o aviso</translation>
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
        <translation>Tudo como o modelo</translation>
    </message>
    <message>
        <source>{device} (not found)</source>
        <translation>{device} (não encontrado)</translation>
    </message>
    <message>
        <source>{part} (not in this model)</source>
        <translation>{part} (não neste modelo)</translation>
    </message>
    <message>
        <source>Choose a model to see its parts.</source>
        <translation>Escolha um modelo para ver as suas partes.</translation>
    </message>
    <message>
        <source>As the model</source>
        <translation>Como o modelo</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>Picture</source>
        <translation>Imagem</translation>
    </message>
</context>
<context>
    <name>PlacesView</name>
    <message>
        <source>In the last run, as the engine found it:</source>
        <translation>No último trabalho, segundo o motor:</translation>
    </message>
    <message>
        <source>Known once a model is chosen and the engine is up.</source>
        <translation>Será conhecido quando houver um modelo escolhido e o motor estiver pronto.</translation>
    </message>
</context>
<context>
    <name>PlanBar</name>
    <message>
        <source>Memory plan</source>
        <translation>Plano de memória</translation>
    </message>
    <message>
        <source>No plan yet.</source>
        <translation>Ainda não há plano.</translation>
    </message>
    <message>
        <source>{size} more than the device has</source>
        <translation>{size} a mais do que o dispositivo tem</translation>
    </message>
    <message>
        <source>{size} of weights wait in main memory</source>
        <translation>{size} de pesos esperam na memória principal</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Pesos</translation>
    </message>
    <message>
        <source>Weights, in turn</source>
        <translation>Pesos, em turnos</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Trabalho</translation>
    </message>
    <message>
        <source>not estimated yet</source>
        <translation>ainda sem estimativa</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>Reserva</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>Outros programas</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Livre</translation>
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
        <translation>O que a imagem deve mostrar</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Texto negativo</translation>
    </message>
    <message>
        <source>What it should not show</source>
        <translation>O que ela não deve mostrar</translation>
    </message>
    <message>
        <source>&amp;Negative prompt</source>
        <translation>Texto &amp;negativo</translation>
    </message>
    <message>
        <source>&amp;Generate</source>
        <translation>&amp;Gerar</translation>
    </message>
    <message>
        <source>Generate (Ctrl+Enter)</source>
        <translation>Gerar (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>&amp;Steps</source>
        <translation>&amp;Passos</translation>
    </message>
    <message>
        <source>How often the noise is thinned: more steps, finer pictures, longer waits.</source>
        <translation>Quantas vezes o ruído é reduzido: mais passos, imagens mais finas, mais espera.</translation>
    </message>
    <message>
        <source>G&amp;uidance</source>
        <translation>G&amp;uia</translation>
    </message>
    <message>
        <source>How closely the picture keeps to the prompt: too high looks harsh.</source>
        <translation>O quanto a imagem segue o texto: alta demais fica dura.</translation>
    </message>
    <message>
        <source>C&amp;ount</source>
        <translation>&amp;Quantidade</translation>
    </message>
    <message>
        <source>How many pictures, each with the next seed.</source>
        <translation>Quantas imagens, cada uma com a próxima semente.</translation>
    </message>
</context>
<context>
    <name>QueueView</name>
    <message>
        <source>Queue</source>
        <translation>Fila</translation>
    </message>
    <message>
        <source>Jobs in the order they run. Alt with the arrow keys moves one, Del removes it.</source>
        <translation>Trabalhos na ordem em que rodam. Alt com as setas move um, Del o remove.</translation>
    </message>
    <message>
        <source>Nothing waits. Generate while a picture is being made puts the next one here.</source>
        <translation>Nada em espera. Gerar enquanto uma imagem é criada põe a próxima aqui.</translation>
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
        <translation>Depois</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Repetir</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Remover</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Continuar</translation>
    </message>
    <message>
        <source>Lets the running picture finish and starts no other until you go on.</source>
        <translation>Deixa a imagem em andamento terminar e não começa outra até você continuar.</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Rodando</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Em espera</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Interrompido</translation>
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
        <translation>Salvar a imagem como</translation>
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
        <translation>Excluir a imagem</translation>
    </message>
    <message>
        <source>Move {name} to the trash?</source>
        <translation>Mover {name} para a lixeira?</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>Mover para a lixeira</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Manter</translation>
    </message>
    <message>
        <source>{name} could not be moved to the trash, so it was left where it is.</source>
        <translation>{name} não pôde ser movido para a lixeira e ficou onde está.</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>Salva como {path}</translation>
    </message>
</context>
<context>
    <name>ResultDesk</name>
    <message>
        <source>The picture was copied.</source>
        <translation>A imagem foi copiada.</translation>
    </message>
    <message>
        <source>{name} is neither a model nor a picture, so it was left alone.</source>
        <translation>{name} não é um modelo nem uma imagem e foi deixado como está.</translation>
    </message>
    <message>
        <source>There are no settings in this picture.</source>
        <translation>Esta imagem não contém configurações.</translation>
    </message>
    <message>
        <source>The picture&apos;s {name} “{value}” cannot be used and was left as it is here.</source>
        <translation>O valor de {name} da imagem, “{value}”, não pode ser usado; aqui fica como estava.</translation>
    </message>
    <message>
        <source>The picture was made with the LoRA {name}, which is not known here: add it again.</source>
        <translation>A imagem foi feita com o LoRA {name}, que não é conhecido aqui: adicione-o de novo.</translation>
    </message>
    <message>
        <source>The picture was made with the model {name}, which is not here: the chosen one is used.</source>
        <translation>A imagem foi criada com o modelo {name}, que não está aqui: usa-se o escolhido.</translation>
    </message>
</context>
<context>
    <name>ResultModel</name>
    <message>
        <source>{name}, seed {seed}: {prompt}</source>
        <translation>{name}, semente {seed}: {prompt}</translation>
    </message>
</context>
<context>
    <name>SeedField</name>
    <message>
        <source>Seed</source>
        <translation>Semente</translation>
    </message>
    <message>
        <source>The number that the noise is drawn from: the same seed and settings give the same picture.</source>
        <translation>O número de onde vem o ruído: a mesma semente e as mesmas configurações dão a mesma imagem.</translation>
    </message>
    <message>
        <source>Draw a new seed</source>
        <translation>Sortear outra semente</translation>
    </message>
    <message>
        <source>Keep this seed</source>
        <translation>Manter esta semente</translation>
    </message>
    <message>
        <source>See&amp;d</source>
        <translation>Se&amp;mente</translation>
    </message>
    <message>
        <source>A seed is a whole number from 0 to {high}.</source>
        <translation>Uma semente é um número inteiro de 0 a {high}.</translation>
    </message>
    <message>
        <source>The seed stays the same</source>
        <translation>A semente é mantida</translation>
    </message>
    <message>
        <source>A new seed is drawn for each job</source>
        <translation>Cada trabalho sorteia outra semente</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Como o sistema</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Escuro</translation>
    </message>
    <message>
        <source>The language changes at the next start of Headroom.</source>
        <translation>O idioma muda ao abrir o Headroom de novo.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Remover</translation>
    </message>
    <message>
        <source>Where pictures go</source>
        <translation>Para onde vão as imagens</translation>
    </message>
    <message>
        <source>A folder with models</source>
        <translation>Uma pasta com modelos</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aparência</translation>
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
        <translation>As imagens vão para</translation>
    </message>
    <message>
        <source>Model folders</source>
        <translation>Pastas de modelos</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Sobre</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Mudar…</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Padrão</translation>
    </message>
    <message>
        <source>Headroom lists the models in these folders; nothing is copied.</source>
        <translation>O Headroom lista os modelos destas pastas; nada é copiado.</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Adicionar…</translation>
    </message>
    <message>
        <source>Free software under the Apache License 2.0. Qt is used under the LGPL.</source>
        <translation>Software livre sob a licença Apache 2.0. O Qt é usado sob a LGPL.</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Licenças</translation>
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
        <translation>Ao menos uma GPU é usada: para trabalhar sem nenhuma, escolha o processador em “GPU”.</translation>
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
        <translation>Tamanhos desta forma com a área para a qual o modelo foi feito.</translation>
    </message>
    <message>
        <source>Width in pixels</source>
        <translation>Largura em pixels</translation>
    </message>
    <message>
        <source>Height in pixels</source>
        <translation>Altura em pixels</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>Trocar largura e altura</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>&amp;Tamanho</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Outra</translation>
    </message>
    <message>
        <source>Changed from {asked} to {used}: this model needs multiples of {factor}, from {low} to {high}.</source>
        <translation>Mudado de {asked} para {used}: este modelo precisa de múltiplos de {factor}, de {low} a {high}.</translation>
    </message>
    <message>
        <source>“{text}” is not a size: write 10 GiB, 80 % or Auto.</source>
        <translation>“{text}” não é um tamanho: escreva 10 GiB, 80 % ou Auto.</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>não usado</translation>
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
        <translation>Progresso</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Restart engine</source>
        <translation>Reiniciar o motor</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Começando…</translation>
    </message>
    <message>
        <source>Stopping at once. The model must be loaded again for the next picture.</source>
        <translation>Parando já. Para a próxima imagem o modelo terá de ser carregado de novo.</translation>
    </message>
    <message>
        <source>Stopping after this block…</source>
        <translation>Parando depois deste bloco…</translation>
    </message>
    <message>
        <source>Stop at once</source>
        <translation>Parar já</translation>
    </message>
    <message>
        <source>Ends the engine now; the model must be loaded again.</source>
        <translation>Encerra o motor agora; o modelo terá de ser carregado de novo.</translation>
    </message>
    <message>
        <source>The engine is starting: you can write your prompt meanwhile.</source>
        <translation>O motor está iniciando: enquanto isso você pode escrever o texto.</translation>
    </message>
    <message>
        <source>The engine stopped and is being started again.</source>
        <translation>O motor parou e está sendo reiniciado.</translation>
    </message>
    <message>
        <source>The engine stopped three times in a minute and was not started again.</source>
        <translation>O motor parou três vezes em um minuto e não foi reiniciado.</translation>
    </message>
    <message>
        <source>The engine cannot start.</source>
        <translation>O motor não consegue iniciar.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Pronto</translation>
    </message>
    <message numerus="yes">
        <source>Paused with %n job(s) in the queue.</source>
        <translation>
            <numerusform>Em pausa com %n trabalho na fila.</numerusform>
            <numerusform>Em pausa com %n trabalhos na fila.</numerusform>
        </translation>
    </message>
    <message>
        <source>Denoising {step} of {steps}</source>
        <translation>Reduzindo o ruído {step} de {steps}</translation>
    </message>
    <message>
        <source>Picture {number} of {count}</source>
        <translation>Imagem {number} de {count}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>faltam {time}</translation>
    </message>
    <message numerus="yes">
        <source>%n more in the queue</source>
        <translation>
            <numerusform>mais %n na fila</numerusform>
            <numerusform>mais %n na fila</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TableWindow</name>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
</context>
<context>
    <name>TextEditor</name>
    <message>
        <source>none</source>
        <translation>nenhum</translation>
    </message>
    <message>
        <source>none: decode here</source>
        <translation>nenhum: aqui</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>“{text}” is not an address: it begins with https:// or http://.</source>
        <translation>“{text}” não é um endereço: ele começa com https:// ou http://.</translation>
    </message>
    <message>
        <source>“{text}” is not the name of a folder.</source>
        <translation>“{text}” não é o nome de uma pasta.</translation>
    </message>
    <message>
        <source>“{text}” is not a list of patterns: separate them by commas, close every bracket.</source>
        <translation>“{text}” não é uma lista de padrões: separe-os por vírgulas e feche cada parêntese.</translation>
    </message>
</context>
<context>
    <name>Viewer</name>
    <message>
        <source>Preview of the picture that is being made</source>
        <translation>Prévia da imagem em andamento</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Prévia</translation>
    </message>
    <message>
        <source>This picture cannot be shown: {name}</source>
        <translation>Esta imagem não pode ser mostrada: {name}</translation>
    </message>
    <message>
        <source>Fit to the window</source>
        <translation>Ajustar à janela</translation>
    </message>
    <message>
        <source>Show at 100 %</source>
        <translation>Mostrar em 100 %</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Menor</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Maior</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>Copiar a imagem</translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation>Mostrar na pasta</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Salvar como…</translation>
    </message>
    <message>
        <source>Use these settings again</source>
        <translation>Usar de novo estas configurações</translation>
    </message>
    <message>
        <source>Delete to the trash</source>
        <translation>Enviar para a lixeira</translation>
    </message>
</context>
<context>
    <name>core</name>
    <message>
        <source>width</source>
        <translation>largura</translation>
    </message>
    <message>
        <source>height</source>
        <translation>altura</translation>
    </message>
    <message>
        <source>size</source>
        <translation>tamanho</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>passos</translation>
    </message>
    <message>
        <source>guidance</source>
        <translation>guia</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>semente</translation>
    </message>
    <message>
        <source>count</source>
        <translation>quantidade</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>quadros</translation>
    </message>
    <message>
        <source>frames per second</source>
        <translation>quadros por segundo</translation>
    </message>
    <message>
        <source>strength</source>
        <translation>força</translation>
    </message>
    <message>
        <source>task</source>
        <translation>tarefa</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>imagem</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>máscara</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>clipe</translation>
    </message>
    <message>
        <source>number of LoRAs</source>
        <translation>número de LoRAs</translation>
    </message>
    <message>
        <source>a LoRA&apos;s weight</source>
        <translation>o peso de um LoRA</translation>
    </message>
    <message>
        <source>The file {file} has {actual} bytes where its header says {expected}: it was cut or is still being copied.</source>
        <translation>O arquivo {file} tem {actual} bytes e seu cabeçalho diz {expected}: está cortado ou ainda está sendo copiado.</translation>
    </message>
    <message>
        <source>The file {file} does not have the form that its name promises.</source>
        <translation>O arquivo {file} não tem a forma que seu nome promete.</translation>
    </message>
    <message>
        <source>The file {file} is not readable as JSON.</source>
        <translation>O arquivo {file} não pode ser lido como JSON.</translation>
    </message>
    <message>
        <source>The file {file} is a web page: the download was of the site&apos;s page, not of the model.</source>
        <translation>O arquivo {file} é uma página da web: foi baixada a página do site, não o modelo.</translation>
    </message>
    <message>
        <source>The file {file} is only a Git LFS pointer: the model itself was not fetched.</source>
        <translation>O arquivo {file} é só um ponteiro do Git LFS: o modelo não foi baixado.</translation>
    </message>
    <message>
        <source>The file {file} is empty.</source>
        <translation>O arquivo {file} está vazio.</translation>
    </message>
    <message>
        <source>The file {file} names a file outside the model&apos;s folder.</source>
        <translation>O arquivo {file} cita um arquivo fora da pasta do modelo.</translation>
    </message>
    <message>
        <source>The file {file} holds no weights.</source>
        <translation>O arquivo {file} não contém pesos.</translation>
    </message>
    <message>
        <source>The weights in {file} could not be read.</source>
        <translation>Os pesos de {file} não puderam ser lidos.</translation>
    </message>
    <message>
        <source>The weights in {file} and their configuration do not fit each other: one of the two is of another model.</source>
        <translation>Os pesos de {file} e a sua configuração não combinam: um dos dois é de outro modelo.</translation>
    </message>
    <message>
        <source>Its contents match no kind of model that this program runs.</source>
        <translation>Seu conteúdo não corresponde a nenhum tipo de modelo que este programa rode.</translation>
    </message>
    <message>
        <source>It is made for “{name}”, which this program does not run.</source>
        <translation>É feito para “{name}”, que este programa não roda.</translation>
    </message>
    <message>
        <source>Its model_index.json does not say what kind of model it is.</source>
        <translation>Seu model_index.json não diz que tipo de modelo é.</translation>
    </message>
    <message>
        <source>The folder holds single model files ({files}) and no model_index.json.</source>
        <translation>A pasta contém arquivos de modelo avulsos ({files}) e nenhum model_index.json.</translation>
    </message>
    <message>
        <source>Single files of {name} cannot be read without a configuration.</source>
        <translation>Arquivos únicos de {name} não podem ser lidos sem uma configuração.</translation>
    </message>
    <message>
        <source>What {address} sent is not what such a server sends.</source>
        <translation>O que {address} enviou não é o que um servidor assim envia.</translation>
    </message>
    <message>
        <source>What {address} sent has another size than the picture: it may serve another model.</source>
        <translation>O que {address} enviou tem outro tamanho que a imagem: talvez sirva a outro modelo.</translation>
    </message>
    <message>
        <source>What {address} sent breaks off.</source>
        <translation>O que {address} enviou se interrompe.</translation>
    </message>
    <message>
        <source>{address} sent more than the picture can have.</source>
        <translation>{address} enviou mais do que a imagem pode ter.</translation>
    </message>
    <message>
        <source>What {address} sent contains values that are not numbers.</source>
        <translation>O que {address} enviou contém valores que não são números.</translation>
    </message>
    <message>
        <source>{path} cannot be opened. It is left as it is, and changes to the settings are not kept.</source>
        <translation>{path} não pode ser aberto. Ele fica como está, e as mudanças nas configurações não são guardadas.</translation>
    </message>
    <message>
        <source>Download or copy the model again.</source>
        <translation>Baixe ou copie o modelo de novo.</translation>
    </message>
    <message>
        <source>Check the address of the server, or leave it empty to decode here.</source>
        <translation>Verifique o endereço do servidor ou deixe-o vazio para decodificar aqui.</translation>
    </message>
    <message>
        <source>“headroom models” lists those that are found; the path of a folder or file works too.</source>
        <translation>“headroom models” lista os que são encontrados; também serve o caminho de uma pasta ou arquivo.</translation>
    </message>
    <message>
        <source>{name} has no value.</source>
        <translation>{name} não tem valor.</translation>
    </message>
    <message>
        <source>Write the setting, = and a value.</source>
        <translation>Escreva o ajuste, = e um valor.</translation>
    </message>
    <message>
        <source>“{value}” is no pattern of names for {name}.</source>
        <translation>“{value}” não é um padrão de nomes para {name}.</translation>
    </message>
    <message>
        <source>It cannot be read from character {position} on.</source>
        <translation>Não pode ser lido a partir do caractere {position}.</translation>
    </message>
    <message>
        <source>Write part of a layer&apos;s name, such as norm, or put \ before a bracket.</source>
        <translation>Escreva parte do nome de uma camada, como norm, ou ponha \ antes de um parêntese.</translation>
    </message>
    <message>
        <source>This model has no part “{value}”.</source>
        <translation>Este modelo não tem a parte “{value}”.</translation>
    </message>
    <message>
        <source>Name one of its parts, or leave the setting out.</source>
        <translation>Indique uma de suas partes ou omita o ajuste.</translation>
    </message>
    <message>
        <source>{name} cannot be used with this model.</source>
        <translation>{name} não pode ser usado com este modelo.</translation>
    </message>
    <message>
        <source>Leave it out, or choose another model.</source>
        <translation>Omita-o ou escolha outro modelo.</translation>
    </message>
    <message>
        <source>No model is called “{path}”.</source>
        <translation>Nenhum modelo se chama “{path}”.</translation>
    </message>
    <message>
        <source>Nothing is at such a path either.</source>
        <translation>Também não há nada nesse caminho.</translation>
    </message>
    <message>
        <source>The nearest names are: {near}.</source>
        <translation>Os nomes mais parecidos são: {near}.</translation>
    </message>
    <message>
        <source>The folder {path} is there but takes no files: it is the system&apos;s own.</source>
        <translation>A pasta {path} existe, mas não aceita arquivos: é do próprio sistema.</translation>
    </message>
    <message>
        <source>Choose another folder for the pictures.</source>
        <translation>Escolha outra pasta para as imagens.</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>Isto é uma pasta, não um arquivo.</translation>
    </message>
    <message>
        <source>A file is wanted, and {path} is a folder.</source>
        <translation>É preciso um arquivo, e {path} é uma pasta.</translation>
    </message>
    <message>
        <source>There is no prompt.</source>
        <translation>Falta o texto.</translation>
    </message>
    <message>
        <source>Nothing visible is written in it.</source>
        <translation>Não há nada visível escrito nele.</translation>
    </message>
    <message>
        <source>Write what the picture should show.</source>
        <translation>Escreva o que a imagem deve mostrar.</translation>
    </message>
    <message>
        <source>The prompt is too long.</source>
        <translation>O texto é longo demais.</translation>
    </message>
    <message>
        <source>It has {length} characters; {limit} are the most that can be stored.</source>
        <translation>Ele tem {length} caracteres; podem ser guardados {limit} no máximo.</translation>
    </message>
    <message>
        <source>Shorten it: the model reads only the first few hundred words anyway.</source>
        <translation>Encurte-o: de qualquer modo o modelo só lê as primeiras centenas de palavras.</translation>
    </message>
    <message>
        <source>The value {value} for {name} cannot be used.</source>
        <translation>O valor {value} de {name} não pode ser usado.</translation>
    </message>
    <message>
        <source>It must be between {low} and {high}.</source>
        <translation>Deve estar entre {low} e {high}.</translation>
    </message>
    <message>
        <source>Change it and try again.</source>
        <translation>Mude-o e tente de novo.</translation>
    </message>
    <message>
        <source>There is no setting “{name}”.</source>
        <translation>Não existe a configuração “{name}”.</translation>
    </message>
    <message>
        <source>The settings are: {known}.</source>
        <translation>As configurações são: {known}.</translation>
    </message>
    <message>
        <source>Check its spelling.</source>
        <translation>Confira como está escrito.</translation>
    </message>
    <message>
        <source>“{value}” is not a value for {name}.</source>
        <translation>“{value}” não é um valor de {name}.</translation>
    </message>
    <message>
        <source>Possible values: {allowed}.</source>
        <translation>Valores possíveis: {allowed}.</translation>
    </message>
    <message>
        <source>Nothing was given to begin from: {name}.</source>
        <translation>Falta de onde partir: {name}.</translation>
    </message>
    <message>
        <source>The task “{task}” changes something that is there already.</source>
        <translation>A tarefa “{task}” muda algo que já existe.</translation>
    </message>
    <message>
        <source>Choose a file for it, or another task.</source>
        <translation>Escolha um arquivo para isso, ou outra tarefa.</translation>
    </message>
    <message>
        <source>{name} cannot be “{value}” here.</source>
        <translation>{name} não pode ser “{value}” aqui.</translation>
    </message>
    <message>
        <source>{reason}</source>
        <translation>{reason}</translation>
    </message>
    <message>
        <source>Choose another value, or Auto.</source>
        <translation>Escolha outro valor, ou Auto.</translation>
    </message>
    <message>
        <source>This will probably not fit on {device}.</source>
        <translation>Isto provavelmente não cabe em {device}.</translation>
    </message>
    <message>
        <source>The weights need {need} at a time, besides working memory; {budget} may be used ({free} are free).</source>
        <translation>Os pesos precisam de {need} de cada vez, além da memória de trabalho; podem ser usados {budget} (há {free} livres).</translation>
    </message>
    <message>
        <source>Close other programs, raise the limit, make the picture smaller, or run it anyway.</source>
        <translation>Feche outros programas, aumente o limite, faça a imagem menor ou execute mesmo assim.</translation>
    </message>
    <message>
        <source>The device “{device}” is not there.</source>
        <translation>O dispositivo “{device}” não está aqui.</translation>
    </message>
    <message>
        <source>This machine has: {devices}.</source>
        <translation>Este computador tem: {devices}.</translation>
    </message>
    <message>
        <source>Choose one of them, or Auto.</source>
        <translation>Escolha um deles, ou Auto.</translation>
    </message>
    <message>
        <source>The model was not found.</source>
        <translation>O modelo não foi encontrado.</translation>
    </message>
    <message>
        <source>There is no readable folder or file at {path}.</source>
        <translation>Não há pasta nem arquivo legível em {path}.</translation>
    </message>
    <message>
        <source>There is no model in this folder.</source>
        <translation>Não há nenhum modelo nesta pasta.</translation>
    </message>
    <message>
        <source>{path} is empty.</source>
        <translation>{path} está vazia.</translation>
    </message>
    <message>
        <source>Choose the folder that holds model_index.json.</source>
        <translation>Escolha a pasta que contém model_index.json.</translation>
    </message>
    <message>
        <source>The model is not complete.</source>
        <translation>O modelo não está completo.</translation>
    </message>
    <message>
        <source>{missing} is missing in {path}.</source>
        <translation>Falta {missing} em {path}.</translation>
    </message>
    <message>
        <source>The model is damaged.</source>
        <translation>O modelo está danificado.</translation>
    </message>
    <message>
        <source>This model was not opened.</source>
        <translation>Este modelo não foi aberto.</translation>
    </message>
    <message>
        <source>{file} is in a format (pickle) that can run any program hidden in it.</source>
        <translation>{file} está em um formato (pickle) que pode executar qualquer programa escondido nele.</translation>
    </message>
    <message>
        <source>Use the same model as .safetensors.</source>
        <translation>Use o mesmo modelo em .safetensors.</translation>
    </message>
    <message>
        <source>This model cannot be run.</source>
        <translation>Este modelo não pode ser executado.</translation>
    </message>
    <message>
        <source>Choose a diffusers folder or a .safetensors file of a model that is listed in the help.</source>
        <translation>Escolha uma pasta do diffusers ou um arquivo .safetensors de um modelo que conste na ajuda.</translation>
    </message>
    <message>
        <source>This model needs a newer version of Headroom.</source>
        <translation>Este modelo precisa de uma versão mais nova do Headroom.</translation>
    </message>
    <message>
        <source>It was made with diffusers {made} for “{name}”; this version has {ours}.</source>
        <translation>Foi feito com diffusers {made} para “{name}”; esta versão tem {ours}.</translation>
    </message>
    <message>
        <source>Update Headroom, or choose another model.</source>
        <translation>Atualize o Headroom ou escolha outro modelo.</translation>
    </message>
    <message>
        <source>This file is only a part of a {family} model.</source>
        <translation>Este arquivo é só uma parte de um modelo {family}.</translation>
    </message>
    <message>
        <source>It lacks: {parts}.</source>
        <translation>Falta: {parts}.</translation>
    </message>
    <message>
        <source>Choose a file or folder with all parts.</source>
        <translation>Escolha um arquivo ou uma pasta com todas as partes.</translation>
    </message>
    <message>
        <source>The picture could not be computed.</source>
        <translation>A imagem não pôde ser calculada.</translation>
    </message>
    <message>
        <source>The weights of {part} contain values that are not numbers: the file is damaged.</source>
        <translation>Os pesos de {part} contêm valores que não são números: o arquivo está danificado.</translation>
    </message>
    <message>
        <source>The picture was not saved.</source>
        <translation>A imagem não foi salva.</translation>
    </message>
    <message>
        <source>There is no folder {path}.</source>
        <translation>A pasta {path} não existe.</translation>
    </message>
    <message>
        <source>Writing into {path} is not allowed.</source>
        <translation>Não é permitido gravar em {path}.</translation>
    </message>
    <message>
        <source>{path} is a file, not a folder.</source>
        <translation>{path} é um arquivo, não uma pasta.</translation>
    </message>
    <message>
        <source>Weights that are copied ahead give another result on this device: nothing was made.</source>
        <translation>Os pesos copiados antes dão outro resultado neste dispositivo: nada foi criado.</translation>
    </message>
    <message>
        <source>Set “Stream ahead” to Off.</source>
        <translation>Ponha “Copiar antes” em Não.</translation>
    </message>
    <message>
        <source>{path} exists already and nothing is overwritten.</source>
        <translation>{path} já existe e nada é sobrescrito.</translation>
    </message>
    <message>
        <source>The file {file} breaks off in its header: it was cut or is still being copied.</source>
        <translation>O arquivo {file} se interrompe no cabeçalho: foi cortado ou ainda está sendo copiado.</translation>
    </message>
    <message>
        <source>Its weights are stored in fp8 with scales beside them, which this program does not apply: the pictures would be white or black.</source>
        <translation>Seus pesos estão guardados em fp8 com escalas à parte, que este programa não aplica: as imagens sairiam brancas ou pretas.</translation>
    </message>
    <message>
        <source>{name} cannot take its weights from a GGUF file.</source>
        <translation>{name} não pode tomar os seus pesos de um arquivo GGUF.</translation>
    </message>
    <message>
        <source>Its GGUF file holds weights in a format that cannot be unpacked here: {name}.</source>
        <translation>O seu arquivo GGUF guarda pesos em um formato que não pode ser descompactado aqui: {name}.</translation>
    </message>
    <message>
        <source>There are several GGUF files ({files}) in one folder: leave only one of them there.</source>
        <translation>Há vários arquivos GGUF ({files}) em uma pasta: deixe só um deles.</translation>
    </message>
    <message>
        <source>{path} is the model itself, or inside it.</source>
        <translation>{path} é o próprio modelo, ou está dentro dele.</translation>
    </message>
    <message>
        <source>Only a model&apos;s folder of .safetensors can be written in parts.</source>
        <translation>Só a pasta de um modelo em .safetensors pode ser gravada em partes.</translation>
    </message>
    <message>
        <source>It needs {needed} where {path} is to be, and {free} are free.</source>
        <translation>Precisa de {needed} onde {path} deve ficar, e há {free} livres.</translation>
    </message>
    <message>
        <source>{path} did not read back as it was written.</source>
        <translation>{path} não é lido como foi gravado.</translation>
    </message>
    <message>
        <source>Writing {path} failed.</source>
        <translation>A gravação de {path} falhou.</translation>
    </message>
    <message>
        <source>A GGUF file holds the denoiser alone; {parts} with the other parts is not beside it.</source>
        <translation>Um arquivo GGUF contém só o redutor de ruído; {parts}, com as outras partes, não está ao lado.</translation>
    </message>
    <message>
        <source>Put it into the transformer folder of a diffusers model in place of its weights, or that folder beside it as {parts}.</source>
        <translation>Coloque-o na pasta transformer de um modelo do diffusers no lugar dos pesos, ou coloque essa pasta ao lado como {parts}.</translation>
    </message>
    <message>
        <source>Check the path, or choose another model; “headroom models” lists those that are found.</source>
        <translation>Verifique o caminho ou escolha outro modelo; “headroom models” lista os que são encontrados.</translation>
    </message>
    <message>
        <source>The model was not copied.</source>
        <translation>O modelo não foi copiado.</translation>
    </message>
    <message>
        <source>Choose another folder, or make room; nothing half-written was kept.</source>
        <translation>Escolha outra pasta ou libere espaço; nada gravado pela metade foi mantido.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Escolha outro nome.</translation>
    </message>
    <message>
        <source>The name or path is longer than this drive allows: {path}</source>
        <translation>O nome ou caminho é mais longo do que esta unidade permite: {path}</translation>
    </message>
    <message>
        <source>Choose a shorter name.</source>
        <translation>Escolha um nome mais curto.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>O disco está cheio.</translation>
    </message>
    <message>
        <source>There was no room left for {path}; nothing half-written was kept.</source>
        <translation>Não havia mais espaço para {path}; nada gravado pela metade foi mantido.</translation>
    </message>
    <message>
        <source>Free some space or choose a folder on another drive.</source>
        <translation>Libere espaço ou escolha uma pasta em outra unidade.</translation>
    </message>
    <message>
        <source>The file was not saved.</source>
        <translation>O arquivo não foi salvo.</translation>
    </message>
    <message>
        <source>Writing {path} failed, or it did not read back as written.</source>
        <translation>A gravação de {path} falhou, ou ele não é lido como foi gravado.</translation>
    </message>
    <message>
        <source>Check the drive, or choose another folder.</source>
        <translation>Verifique a unidade ou escolha outra pasta.</translation>
    </message>
    <message>
        <source>The picture came out blank and was not saved.</source>
        <translation>A imagem saiu em branco e não foi salva.</translation>
    </message>
    <message>
        <source>It is of one single colour.</source>
        <translation>Ela é de uma só cor.</translation>
    </message>
    <message>
        <source>Try another seed, more steps, or precision float32.</source>
        <translation>Tente outra semente, mais passos ou a precisão float32.</translation>
    </message>
    <message>
        <source>The picture could not be computed and was not saved.</source>
        <translation>A imagem não pôde ser calculada e não foi salva.</translation>
    </message>
    <message>
        <source>The numbers overflowed on the way.</source>
        <translation>Os números estouraram no caminho.</translation>
    </message>
    <message>
        <source>Set the precision to float32 or bfloat16, or switch fp8 storage off.</source>
        <translation>Ponha a precisão em float32 ou bfloat16, ou desligue o armazenamento fp8.</translation>
    </message>
    <message>
        <source>This picture is too large to open.</source>
        <translation>Esta imagem é grande demais para ser aberta.</translation>
    </message>
    <message>
        <source>It has {width} × {height} pixels.</source>
        <translation>Ela tem {width} × {height} pixels.</translation>
    </message>
    <message>
        <source>Make it smaller in another program first.</source>
        <translation>Reduza-a antes em outro programa.</translation>
    </message>
    <message>
        <source>This picture could not be opened.</source>
        <translation>Esta imagem não pôde ser aberta.</translation>
    </message>
    <message>
        <source>{path} is damaged, or not a picture.</source>
        <translation>{path} está danificado ou não é uma imagem.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Escolha outro arquivo.</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>Esse arquivo não existe.</translation>
    </message>
    <message>
        <source>At {path} there is nothing that may be read.</source>
        <translation>Em {path} não há nada que possa ser lido.</translation>
    </message>
    <message>
        <source>Check the path, or choose another file.</source>
        <translation>Verifique o caminho ou escolha outro arquivo.</translation>
    </message>
    <message>
        <source>There was not enough memory on {device}.</source>
        <translation>Não houve memória suficiente em {device}.</translation>
    </message>
    <message>
        <source>The work had taken {peak} when no more was to be had.</source>
        <translation>O trabalho ocupava {peak} quando não havia mais.</translation>
    </message>
    <message>
        <source>Choose “Lowest VRAM”, a smaller size, or VAE tiling; or close other programs.</source>
        <translation>Escolha “Mínima VRAM”, um tamanho menor ou o VAE em blocos; ou feche outros programas.</translation>
    </message>
    <message>
        <source>Two equal passes of {part} came out {apart} apart.</source>
        <translation>Duas passagens iguais de {part} diferiram em {apart}.</translation>
    </message>
    <message>
        <source>The engine stopped in the middle of its work.</source>
        <translation>O motor parou no meio do trabalho.</translation>
    </message>
    <message>
        <source>It ended by itself (code {code}); often the system had no memory left.</source>
        <translation>Ele terminou sozinho (código {code}); muitas vezes o sistema ficou sem memória.</translation>
    </message>
    <message>
        <source>Run the job again from the queue, with less memory if it happens again.</source>
        <translation>Execute o trabalho de novo pela fila, com menos memória se voltar a acontecer.</translation>
    </message>
    <message>
        <source>The engine stopped three times within a minute and was not started again.</source>
        <translation>O motor parou três vezes em um minuto e não foi reiniciado.</translation>
    </message>
    <message>
        <source>Its log is at {log}.</source>
        <translation>Seu registro está em {log}.</translation>
    </message>
    <message>
        <source>Look there, then choose Restart engine. The queue is kept.</source>
        <translation>Veja-o e escolha Reiniciar o motor. A fila é mantida.</translation>
    </message>
    <message>
        <source>The engine did not start.</source>
        <translation>O motor não iniciou.</translation>
    </message>
    <message>
        <source>Look there, then try again.</source>
        <translation>Veja-o e tente de novo.</translation>
    </message>
    <message>
        <source>A part of the program is missing.</source>
        <translation>Falta uma parte do programa.</translation>
    </message>
    <message>
        <source>The package {package} does not load.</source>
        <translation>O pacote {package} não carrega.</translation>
    </message>
    <message>
        <source>Install Headroom again.</source>
        <translation>Instale o Headroom de novo.</translation>
    </message>
    <message>
        <source>The server that should decode was not reached.</source>
        <translation>O servidor que deveria decodificar não foi alcançado.</translation>
    </message>
    <message>
        <source>There is no connection to {address}.</source>
        <translation>Não há conexão com {address}.</translation>
    </message>
    <message>
        <source>The server that should decode did not answer.</source>
        <translation>O servidor que deveria decodificar não respondeu.</translation>
    </message>
    <message>
        <source>{address} was silent for too long.</source>
        <translation>{address} ficou em silêncio por tempo demais.</translation>
    </message>
    <message>
        <source>The server that should decode refused.</source>
        <translation>O servidor que deveria decodificar recusou.</translation>
    </message>
    <message>
        <source>{address} answered with code {status}.</source>
        <translation>{address} respondeu com o código {status}.</translation>
    </message>
    <message>
        <source>The server that should decode did not send a picture.</source>
        <translation>O servidor que deveria decodificar não enviou uma imagem.</translation>
    </message>
    <message>
        <source>The settings were not read.</source>
        <translation>As configurações não foram lidas.</translation>
    </message>
    <message>
        <source>{path} was written by a newer version of Headroom; it is left untouched.</source>
        <translation>{path} foi gravado por uma versão mais nova do Headroom; não será tocado.</translation>
    </message>
    <message>
        <source>Update Headroom. Until then changes to the settings are not kept.</source>
        <translation>Atualize o Headroom. Até lá as mudanças nas configurações não são guardadas.</translation>
    </message>
    <message>
        <source>The settings could not be read.</source>
        <translation>As configurações não puderam ser lidas.</translation>
    </message>
    <message>
        <source>{path} is damaged; it was kept under another name.</source>
        <translation>{path} está danificado; foi mantido com outro nome.</translation>
    </message>
    <message>
        <source>The settings start afresh.</source>
        <translation>As configurações começam do zero.</translation>
    </message>
    <message>
        <source>The program&apos;s files have no place.</source>
        <translation>Os arquivos do programa não têm lugar.</translation>
    </message>
    <message>
        <source>The system names no home folder for this user.</source>
        <translation>O sistema não indica nenhuma pasta pessoal para este usuário.</translation>
    </message>
    <message>
        <source>Set HEADROOM_HOME to a folder that can be written.</source>
        <translation>Indique em HEADROOM_HOME uma pasta em que se possa gravar.</translation>
    </message>
    <message>
        <source>The history of jobs cannot be used.</source>
        <translation>O histórico de tarefas não pode ser usado.</translation>
    </message>
    <message>
        <source>{path} cannot be opened or written, or another program holds it.</source>
        <translation>{path} não pode ser aberto ou gravado, ou outro programa o mantém ocupado.</translation>
    </message>
    <message>
        <source>Allow writing there, or set HEADROOM_HOME to another folder.</source>
        <translation>Permita gravar ali ou indique outra pasta em HEADROOM_HOME.</translation>
    </message>
    <message>
        <source>Headroom is running already.</source>
        <translation>O Headroom já está aberto.</translation>
    </message>
    <message>
        <source>Two windows would write over each other&apos;s settings and queue.</source>
        <translation>Duas janelas gravariam uma sobre as configurações e a fila da outra.</translation>
    </message>
    <message>
        <source>Use the window that is open.</source>
        <translation>Use a janela que está aberta.</translation>
    </message>
    <message>
        <source>Something went wrong that the program did not foresee.</source>
        <translation>Aconteceu algo que o programa não previa.</translation>
    </message>
    <message>
        <source>The details help whoever looks into it; the log has more.</source>
        <translation>Os detalhes ajudam quem for investigar; o registro tem mais.</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Sim</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Não</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Which device does the work: Auto takes the one with the most memory.</source>
        <translation>Qual dispositivo faz o trabalho: Auto usa o que tem mais memória.</translation>
    </message>
    <message>
        <source>Maximum memory</source>
        <translation>Memória máxima</translation>
    </message>
    <message>
        <source>The most this program may hold on that device: less leaves room for others but is slower.</source>
        <translation>O máximo que este programa pode ocupar nesse dispositivo: menos deixa espaço a outros, mas é mais lento.</translation>
    </message>
    <message>
        <source>None: all on the GPU</source>
        <translation>Nenhuma: tudo na GPU</translation>
    </message>
    <message>
        <source>Model: one part at a time</source>
        <translation>Modelo: uma parte por vez</translation>
    </message>
    <message>
        <source>Sequential: one layer at a time</source>
        <translation>Sequencial: uma camada por vez</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Descarga</translation>
    </message>
    <message>
        <source>Keeps weights in main memory until they are needed: same picture, less GPU memory, slower.</source>
        <translation>Guarda os pesos na memória principal até serem necessários: mesma imagem, menos memória da GPU, mais lento.</translation>
    </message>
    <message>
        <source>E4M3: finer steps</source>
        <translation>E4M3: passos mais finos</translation>
    </message>
    <message>
        <source>E5M2: wider range</source>
        <translation>E5M2: faixa mais ampla</translation>
    </message>
    <message>
        <source>fp8 storage</source>
        <translation>Armazenar em fp8</translation>
    </message>
    <message>
        <source>Keeps weights in 8 bits: half the memory, slightly different pictures.</source>
        <translation>Guarda os pesos em 8 bits: metade da memória, imagens um pouco diferentes.</translation>
    </message>
    <message>
        <source>VAE tiling</source>
        <translation>VAE em blocos</translation>
    </message>
    <message>
        <source>Decodes the picture in tiles: far less memory at the end, faint seams are possible.</source>
        <translation>Decodifica a imagem em blocos: muito menos memória no fim, pode haver emendas leves.</translation>
    </message>
    <message>
        <source>VAE slicing</source>
        <translation>VAE em fatias</translation>
    </message>
    <message>
        <source>Decodes a batch one picture at a time; Headroom makes them one by one anyway.</source>
        <translation>Decodifica um lote imagem por imagem; o Headroom as cria uma a uma de qualquer modo.</translation>
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
        <translation>Partes e GPUs</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Velocidade</translation>
    </message>
    <message>
        <source>What is kept</source>
        <translation>O que se mantém</translation>
    </message>
    <message>
        <source>Groups of blocks: one at a time</source>
        <translation>Grupos de blocos: um por vez</translation>
    </message>
    <message>
        <source>Groups of layers: one at a time</source>
        <translation>Grupos de camadas: um por vez</translation>
    </message>
    <message>
        <source>Partial: as many blocks as fit stay</source>
        <translation>Parcial: ficam os blocos que cabem</translation>
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
        <translation>Só para esta parte do modelo.</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>Quantização</translation>
    </message>
    <message>
        <source>Blocks per group</source>
        <translation>Blocos por grupo</translation>
    </message>
    <message>
        <source>How many blocks move at a time: more is faster and needs their memory at once.</source>
        <translation>Quantos blocos se movem por vez: mais é mais rápido e pede a memória deles de uma vez.</translation>
    </message>
    <message>
        <source>Stream ahead</source>
        <translation>Copiar antes</translation>
    </message>
    <message>
        <source>Copies the next group while this one computes: faster, for up to twice the main memory.</source>
        <translation>Copia o próximo grupo enquanto este calcula: mais rápido, com até o dobro da memória principal.</translation>
    </message>
    <message>
        <source>Record stream</source>
        <translation>Registrar o fluxo</translation>
    </message>
    <message>
        <source>Leaves waiting to the allocator: a little faster, for a little more GPU memory.</source>
        <translation>Deixa a espera ao alocador: um pouco mais rápido, com um pouco mais de memória da GPU.</translation>
    </message>
    <message>
        <source>Pin as needed</source>
        <translation>Fixar por grupos</translation>
    </message>
    <message>
        <source>Pins main memory group by group while streaming: far less of it, but slower copies.</source>
        <translation>Fixa a memória principal grupo a grupo ao copiar: muito menos, mas cópias mais lentas.</translation>
    </message>
    <message>
        <source>Non-blocking copies</source>
        <translation>Cópias sem espera</translation>
    </message>
    <message>
        <source>Does not wait for each copy: a little faster with group offload, else no gain.</source>
        <translation>Não espera cada cópia: um pouco mais rápido com descarga por grupos; senão, sem ganho.</translation>
    </message>
    <message>
        <source>Offload to disk</source>
        <translation>Descarga para o disco</translation>
    </message>
    <message>
        <source>Groups wait in files, not in main memory: for little RAM, limited by the disk&apos;s speed.</source>
        <translation>Os grupos esperam em arquivos e não na memória principal: para pouca RAM, no ritmo do disco.</translation>
    </message>
    <message>
        <source>Folder for it</source>
        <translation>Sua pasta</translation>
    </message>
    <message>
        <source>Where those files lie while a model is loaded: a fast disk helps, they are deleted after.</source>
        <translation>Onde ficam esses arquivos enquanto há um modelo carregado: um disco rápido ajuda; depois são apagados.</translation>
    </message>
    <message>
        <source>Packs the denoiser&apos;s weights in 8 or 4 bits: much less memory, but other pictures.</source>
        <translation>Compacta os pesos do redutor de ruído em 8 ou 4 bits: muito menos memória, mas outras imagens.</translation>
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
        <translation>Precisão</translation>
    </message>
    <message>
        <source>The number format that computes: float32 doubles the memory of the 16-bit formats.</source>
        <translation>O formato de número que calcula: float32 ocupa o dobro dos formatos de 16 bits.</translation>
    </message>
    <message>
        <source>fp8: keep modules</source>
        <translation>fp8: módulos a manter</translation>
    </message>
    <message>
        <source>Layers whose names match these patterns keep 16 bits under fp8 storage: finer, but larger.</source>
        <translation>As camadas cujo nome segue estes padrões mantêm 16 bits com armazenamento em fp8: mais fino, mas maior.</translation>
    </message>
    <message>
        <source>fp8: keep classes</source>
        <translation>fp8: classes a manter</translation>
    </message>
    <message>
        <source>Layers of these classes, such as Linear, keep 16 bits under fp8 storage: finer, larger.</source>
        <translation>As camadas destas classes, como Linear, mantêm 16 bits com armazenamento em fp8: mais fino e maior.</translation>
    </message>
    <message>
        <source>px</source>
        <translation>px</translation>
    </message>
    <message>
        <source>Tile size</source>
        <translation>Tamanho do bloco</translation>
    </message>
    <message>
        <source>A side of one VAE tile, 0 for a size that fits: smaller saves memory and shows more seams.</source>
        <translation>Lado de um bloco do VAE, 0 para um tamanho adequado: menor poupa memória e mostra mais emendas.</translation>
    </message>
    <message>
        <source>Tile overlap</source>
        <translation>Sobreposição</translation>
    </message>
    <message>
        <source>How much of a tile its neighbour covers too: more hides seams but decodes more tiles.</source>
        <translation>Quanto de um bloco o vizinho também cobre: mais esconde emendas, mas decodifica mais blocos.</translation>
    </message>
    <message>
        <source>Remote VAE</source>
        <translation>VAE remoto</translation>
    </message>
    <message>
        <source>A server that decodes instead of this machine: no memory here, but it sees your picture.</source>
        <translation>Um servidor que decodifica no lugar deste computador: aqui não ocupa memória, mas ele vê a sua imagem.</translation>
    </message>
    <message>
        <source>One GPU</source>
        <translation>Uma GPU</translation>
    </message>
    <message>
        <source>Balanced: whole parts</source>
        <translation>Equilibrado: partes inteiras</translation>
    </message>
    <message>
        <source>Split: the denoiser too</source>
        <translation>Dividido: também o redutor de ruído</translation>
    </message>
    <message>
        <source>Custom map</source>
        <translation>Mapa próprio</translation>
    </message>
    <message>
        <source>Several GPUs</source>
        <translation>Várias GPUs</translation>
    </message>
    <message>
        <source>Lays one model over several GPUs: it fits without offload, but they work in turn.</source>
        <translation>Divide um modelo entre várias GPUs: cabe sem descarga, mas elas trabalham por turnos.</translation>
    </message>
    <message>
        <source>Device map</source>
        <translation>Mapa de dispositivos</translation>
    </message>
    <message>
        <source>Where each part lies when the map is custom: a GPU, cpu or disk; the last two are slow.</source>
        <translation>Onde fica cada parte com o mapa próprio: uma GPU, cpu ou disk; os dois últimos são lentos.</translation>
    </message>
    <message>
        <source>Single parts</source>
        <translation>Partes avulsas</translation>
    </message>
    <message>
        <source>Other values for one part of the model, such as its own GPU: for those who know it well.</source>
        <translation>Outros valores para uma parte do modelo, como a sua própria GPU: para quem o conhece bem.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Atenção</translation>
    </message>
    <message>
        <source>Which kernel computes attention: some are faster, and all may change the last digits.</source>
        <translation>Que kernel calcula a atenção: alguns são mais rápidos e todos podem mudar os últimos dígitos.</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Compilar</translation>
    </message>
    <message>
        <source>Compiles the repeated blocks once: later steps are faster, the first takes minutes.</source>
        <translation>Compila uma vez os blocos que se repetem: os passos seguintes são mais rápidos, o primeiro leva minutos.</translation>
    </message>
    <message>
        <source>Channels last</source>
        <translation>Canais por último</translation>
    </message>
    <message>
        <source>Another order of the numbers in memory: less work memory on recent GPUs, else no gain.</source>
        <translation>Outra ordem dos números na memória: menos memória de trabalho em GPUs recentes, senão sem ganho.</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>Keep loaded</source>
        <translation>Manter carregado</translation>
    </message>
    <message>
        <source>How long the model stays in memory after a job: the next one starts at once.</source>
        <translation>Quanto tempo o modelo fica na memória depois de um trabalho: o próximo começa na hora.</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>Reserva</translation>
    </message>
    <message>
        <source>Memory always left free on the device, for the screen and other programs.</source>
        <translation>Memória que sempre fica livre no dispositivo, para a tela e outros programas.</translation>
    </message>
    <message>
        <source>This model was made with diffusers {made}, newer than this program&apos;s {ours}.</source>
        <translation>Este modelo foi feito com diffusers {made}, mais novo que o {ours} deste programa.</translation>
    </message>
    <message>
        <source>Packed weights cannot wait in files.</source>
        <translation>Pesos compactados não podem esperar em arquivos.</translation>
    </message>
    <message>
        <source>It acts only while groups are streamed ahead.</source>
        <translation>Só age se os grupos são copiados antes.</translation>
    </message>
    <message>
        <source>Everything is in main memory already: there is no GPU memory to save on this device.</source>
        <translation>Tudo já está na memória principal: neste dispositivo não há memória de GPU a poupar.</translation>
    </message>
    <message>
        <source>It comes with a later version; group offload with a stream is nearest to it.</source>
        <translation>Virá em outra versão; o mais parecido é a descarga por grupos com fluxo.</translation>
    </message>
    <message>
        <source>This model&apos;s parts are: {known}.</source>
        <translation>As partes deste modelo são: {known}.</translation>
    </message>
    <message>
        <source>A part cannot have it while the whole model has “{whole}”.</source>
        <translation>Uma parte não pode tê-lo enquanto o modelo inteiro tem “{whole}”.</translation>
    </message>
    <message>
        <source>This part has no list of blocks: it can move layer by layer.</source>
        <translation>Esta parte não tem lista de blocos: pode se mover camada por camada.</translation>
    </message>
    <message>
        <source>While groups are streamed ahead each is one block: diffusers would set it to 1.</source>
        <translation>Se os grupos são copiados antes, cada um é um bloco: o diffusers poria 1.</translation>
    </message>
    <message>
        <source>It acts only on groups of blocks.</source>
        <translation>Só age em grupos de blocos.</translation>
    </message>
    <message>
        <source>Weights packed by torchao cannot be pinned one by one.</source>
        <translation>Os pesos empacotados pelo torchao não podem ser fixados um a um.</translation>
    </message>
    <message>
        <source>This device cannot copy while it computes.</source>
        <translation>Este dispositivo não consegue copiar enquanto calcula.</translation>
    </message>
    <message>
        <source>Apple&apos;s GPUs have no 8-bit float format.</source>
        <translation>As GPUs da Apple não têm formato de ponto flutuante de 8 bits.</translation>
    </message>
    <message>
        <source>{part} does not work with 8-bit storage.</source>
        <translation>{part} não funciona com armazenamento em 8 bits.</translation>
    </message>
    <message>
        <source>Its weights are packed already; 8-bit storage would only blur them.</source>
        <translation>Seus pesos já estão compactados; guardá-los em 8 bits só os pioraria.</translation>
    </message>
    <message>
        <source>No part of this model works with 8-bit storage.</source>
        <translation>Nenhuma parte deste modelo funciona com armazenamento em 8 bits.</translation>
    </message>
    <message>
        <source>It is no class&apos;s name; write names such as Linear or Conv2d.</source>
        <translation>Não é o nome de uma classe; escreva nomes como Linear ou Conv2d.</translation>
    </message>
    <message>
        <source>{part} has too few linear layers for it, or loses too much.</source>
        <translation>{part} tem camadas lineares de menos para isso, ou perde demais.</translation>
    </message>
    <message>
        <source>bitsandbytes has no kernels for this device that diffusers would use.</source>
        <translation>O bitsandbytes não tem para este dispositivo kernels que o diffusers use.</translation>
    </message>
    <message>
        <source>Weights packed in this way cannot be split over several devices.</source>
        <translation>Pesos compactados assim não podem ser divididos entre vários dispositivos.</translation>
    </message>
    <message>
        <source>Weights packed in this way cannot be moved one by one.</source>
        <translation>Pesos compactados assim não podem ser movidos um a um.</translation>
    </message>
    <message>
        <source>The library {package} is not installed. Install it with: pip install {package}</source>
        <translation>A biblioteca {package} não está instalada. Instale-a com: pip install {package}</translation>
    </message>
    <message>
        <source>The devices here are: {known}.</source>
        <translation>Os dispositivos aqui são: {known}.</translation>
    </message>
    <message>
        <source>LoRA files were never tried with weights that bitsandbytes has packed.</source>
        <translation>Arquivos LoRA nunca foram testados com pesos empacotados pelo bitsandbytes.</translation>
    </message>
    <message>
        <source>A device that the list leaves out is not used, and {device} is to do the work.</source>
        <translation>Um dispositivo que falta na lista não é usado, e {device} deve fazer o trabalho.</translation>
    </message>
    <message>
        <source>There is no GPU to spread the model over.</source>
        <translation>Não há GPUs entre as quais dividir o modelo.</translation>
    </message>
    <message>
        <source>A spread model stays where it lies: it cannot be offloaded as well.</source>
        <translation>Um modelo dividido fica onde está: não pode ser descarregado também.</translation>
    </message>
    <message>
        <source>There is only one device to lie on: {device}.</source>
        <translation>Só há um dispositivo onde colocá-lo: {device}.</translation>
    </message>
    <message>
        <source>This model&apos;s denoiser does not say where it may be cut.</source>
        <translation>O redutor de ruído deste modelo não diz onde pode ser cortado.</translation>
    </message>
    <message>
        <source>A custom spread needs a map: which part lies on which device.</source>
        <translation>Uma divisão própria precisa de um mapa: que parte fica em que dispositivo.</translation>
    </message>
    <message>
        <source>This model&apos;s decoder cannot work in tiles.</source>
        <translation>O decodificador deste modelo não pode trabalhar em blocos.</translation>
    </message>
    <message>
        <source>This model&apos;s decoder cannot work in slices.</source>
        <translation>O decodificador deste modelo não pode trabalhar em fatias.</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>Um endereço começa com https:// ou http://.</translation>
    </message>
    <message>
        <source>This model&apos;s layers do not listen to the choice of a kernel.</source>
        <translation>As camadas deste modelo não atendem à escolha de um kernel.</translation>
    </message>
    <message>
        <source>The library {package} is not installed.</source>
        <translation>A biblioteca {package} não está instalada.</translation>
    </message>
    <message>
        <source>This kernel runs on NVIDIA&apos;s GPUs only.</source>
        <translation>Este kernel só funciona em GPUs da NVIDIA.</translation>
    </message>
    <message>
        <source>The order matters to 2-D convolutions only, and this model has none.</source>
        <translation>A ordem só importa às convoluções 2-D, e este modelo não tem nenhuma.</translation>
    </message>
    <message>
        <source>The files of group offload hold numbers in the plain order only.</source>
        <translation>Os arquivos do descarregamento por grupos guardam os números apenas na ordem simples.</translation>
    </message>
    <message>
        <source>This model does not name the blocks that repeat, so nothing can be compiled once for all.</source>
        <translation>Este modelo não indica que blocos se repetem, então nada pode ser compilado uma vez para todos.</translation>
    </message>
    <message>
        <source>With sequential offload no weight stays in place, which compiled code relies on.</source>
        <translation>Com descarga sequencial nenhum peso fica no lugar, e o código compilado conta com isso.</translation>
    </message>
    <message>
        <source>Compiled blocks move one at a time: another one&apos;s weights would still be on the host.</source>
        <translation>Os blocos compilados se movem um de cada vez: os pesos de outro ainda estariam na memória principal.</translation>
    </message>
    <message>
        <source>torch has no compiler for this device here.</source>
        <translation>O torch não tem aqui compilador para este dispositivo.</translation>
    </message>
    <message>
        <source>This kind of model does not work with it.</source>
        <translation>Este tipo de modelo não funciona com isso.</translation>
    </message>
    <message>
        <source>Pictures are made one by one here, so there is nothing to slice.</source>
        <translation>Aqui as imagens são criadas uma a uma, então não há o que fatiar.</translation>
    </message>
    <message>
        <source>Working memory is not estimated yet; a quarter of the room is kept for it.</source>
        <translation>A memória de trabalho ainda não é estimada; guarda-se um quarto do espaço para ela.</translation>
    </message>
    <message>
        <source>At work it needs at most {need} of {budget}.</source>
        <translation>Ao trabalhar, precisa no máximo de {need} de {budget}.</translation>
    </message>
    <message>
        <source>At work it needs {need}, more than the {budget} that it may take: it may fail.</source>
        <translation>Ao trabalhar, precisa de {need}, mais do que os {budget} que pode usar: pode falhar.</translation>
    </message>
    <message>
        <source>Fits: weights take {need} of {budget} and stay there.</source>
        <translation>Cabe: os pesos ocupam {need} de {budget} e ficam lá.</translation>
    </message>
    <message>
        <source>Fits part by part: at most {need} of weights in {budget}, {streamed} wait in main memory; a little slower.</source>
        <translation>Cabe parte por parte: no máximo {need} de pesos em {budget}, {streamed} esperam na memória principal; um pouco mais lento.</translation>
    </message>
    <message>
        <source>Fits layer by layer: {need} of weights at a time in {budget}, {streamed} wait in main memory; far slower.</source>
        <translation>Cabe camada por camada: {need} de pesos por vez em {budget}, {streamed} esperam na memória principal; muito mais lento.</translation>
    </message>
    <message>
        <source>Fits block by block: {need} of weights at a time in {budget}, {streamed} wait in main memory; slower.</source>
        <translation>Cabe bloco por bloco: {need} de pesos por vez em {budget}, {streamed} esperam na memória principal; mais lento.</translation>
    </message>
    <message>
        <source>Fits in groups of a layer: {need} of weights at a time in {budget}, {streamed} wait in main memory; slower.</source>
        <translation>Cabe em grupos de uma camada: {need} de pesos por vez em {budget}, {streamed} esperam na memória principal; mais lento.</translation>
    </message>
    <message>
        <source>Fits in part: {need} of weights stay in {budget}, {streamed} come in turn.</source>
        <translation>Cabe em parte: {need} de pesos ficam em {budget}, {streamed} vêm por turnos.</translation>
    </message>
    <message>
        <source>8-bit storage is on because the weights would not fit otherwise; it changes the picture slightly.</source>
        <translation>O armazenamento em 8 bits está ligado porque senão os pesos não caberiam; muda um pouco a imagem.</translation>
    </message>
    <message>
        <source>On the processor the limit is checked beforehand but cannot be enforced.</source>
        <translation>No processador o limite é verificado antes, mas não pode ser imposto.</translation>
    </message>
    <message>
        <source>Without “Stream ahead” each group is also copied back to main memory: twice the traffic.</source>
        <translation>Sem “Copiar antes”, cada grupo também é copiado de volta à memória principal: o dobro do tráfego.</translation>
    </message>
    <message>
        <source>{size} of the weights stand in no block: for a whole pass they lie there and are not copied ahead.</source>
        <translation>{size} dos pesos não estão em nenhum bloco: ficam lá por toda a passagem e não são copiados antes.</translation>
    </message>
    <message>
        <source>Up to {need} of main memory are needed, more than its limit of {limit}. Offload to disk needs less.</source>
        <translation>São necessários até {need} de memória principal, mais que o limite dela, de {limit}. A descarga para o disco precisa de menos.</translation>
    </message>
    <message>
        <source>Up to {need} of main memory are needed and {free} are free: the system may stop the program. Offload to disk needs less.</source>
        <translation>São necessários até {need} de memória principal e há {free} livres: o sistema pode encerrar o programa. A descarga para o disco precisa de menos.</translation>
    </message>
    <message>
        <source>{part} is packed in its file already.</source>
        <translation>{part} já vem compactado no arquivo.</translation>
    </message>
    <message>
        <source>{part} has no list of blocks, so it moves layer by layer.</source>
        <translation>{part} não tem lista de blocos, então se move camada por camada.</translation>
    </message>
    <message>
        <source>{part} waits in main memory: two of its layers share weights, which files would part.</source>
        <translation>{part} espera na memória principal: duas das suas camadas compartilham pesos que os arquivos separariam.</translation>
    </message>
    <message>
        <source>VAE tiling is off: at this size one tile would cover the whole picture.</source>
        <translation>O VAE em blocos está desligado: neste tamanho um bloco cobriria a imagem toda.</translation>
    </message>
    <message>
        <source>VAE tiling is on ({tile} px) because decoding in one piece may not fit; faint seams are possible.</source>
        <translation>O VAE em blocos está ligado ({tile} px) porque decodificar de uma vez pode não caber; pode haver emendas leves.</translation>
    </message>
    <message>
        <source>Tiles of {asked} px cannot be had here: they are of {tile} px.</source>
        <translation>Aqui não são possíveis blocos de {asked} px: são de {tile} px.</translation>
    </message>
    <message>
        <source>Fits my GPU</source>
        <translation>Cabe na minha GPU</translation>
    </message>
    <message>
        <source>The fastest way that fits and keeps the picture exact, before ways that change it.</source>
        <translation>O modo mais rápido que cabe e mantém a imagem exata, antes dos que a mudam.</translation>
    </message>
    <message>
        <source>Fastest</source>
        <translation>O mais rápido</translation>
    </message>
    <message>
        <source>All on the GPU if the weights fit there at all.</source>
        <translation>Tudo na GPU se os pesos couberem de algum modo.</translation>
    </message>
    <message>
        <source>Lowest VRAM</source>
        <translation>Mínima VRAM</translation>
    </message>
    <message>
        <source>As little GPU memory as possible, however slow; tiles may leave faint seams.</source>
        <translation>O mínimo de memória da GPU, por mais lento que seja; os blocos podem deixar emendas leves.</translation>
    </message>
    <message>
        <source>Characters that no font or model knows were left out of the prompt.</source>
        <translation>Foram tirados do texto caracteres que nenhuma fonte nem modelo conhece.</translation>
    </message>
    <message>
        <source>{tags} was taken out of the prompt: this version does not load extra networks by tags.</source>
        <translation>{tags} foi tirado do texto: esta versão não carrega redes adicionais por etiquetas.</translation>
    </message>
    <message>
        <source>Weights such as (word:1.3) or word++ are read as plain text here.</source>
        <translation>Pesos como (palavra:1.3) ou palavra++ são lidos aqui como texto comum.</translation>
    </message>
    <message>
        <source>This model takes no guidance: the value is not used.</source>
        <translation>Este modelo não aceita guia: o valor não é usado.</translation>
    </message>
    <message>
        <source>This model makes single pictures: the number of frames is not used.</source>
        <translation>Este modelo faz imagens avulsas: o número de quadros não é usado.</translation>
    </message>
    <message>
        <source>The number of frames was changed from {asked} to {used}: this model makes {factor}k + 1.</source>
        <translation>O número de quadros foi alterado de {asked} para {used}: este modelo faz {factor}k + 1.</translation>
    </message>
    <message>
        <source>The size was changed from {asked} to {used}, the only one that this model makes.</source>
        <translation>O tamanho foi alterado de {asked} para {used}, o único que este modelo faz.</translation>
    </message>
    <message>
        <source>The size was changed from {asked} to {used}: this model needs multiples of {factor}, from {low} to {high}.</source>
        <translation>O tamanho foi alterado de {asked} para {used}: este modelo precisa de múltiplos de {factor}, de {low} a {high}.</translation>
    </message>
    <message>
        <source>This model takes no negative prompt: it is not used.</source>
        <translation>Este modelo não aceita texto negativo: ele não é usado.</translation>
    </message>
    <message>
        <source>The model reads only the beginning of the prompt. Not read: {words}</source>
        <translation>O modelo só lê o começo do texto. Não lido: {words}</translation>
    </message>
    <message>
        <source>The model reads only the beginning of the negative prompt. Not read: {words}</source>
        <translation>O modelo só lê o começo do texto negativo. Não lido: {words}</translation>
    </message>
    <message>
        <source>First text encoder</source>
        <translation>Primeiro codificador de texto</translation>
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
        <translation>Redutor de ruído</translation>
    </message>
    <message>
        <source>Video decoder</source>
        <translation>Decodificador de vídeo</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Separador de palavras</translation>
    </message>
    <message>
        <source>Picture decoder</source>
        <translation>Decodificador de imagem</translation>
    </message>
    <message>
        <source>First tokenizer</source>
        <translation>Primeiro separador de palavras</translation>
    </message>
    <message>
        <source>Second tokenizer</source>
        <translation>Segundo separador de palavras</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Agendador</translation>
    </message>
    <message>
        <source>The history of jobs was damaged. It was kept as {name} and a new one begun.</source>
        <translation>O histórico de trabalhos estava danificado. Foi mantido como {name} e outro foi começado.</translation>
    </message>
    <message>
        <source>The history of jobs is a newer Headroom&apos;s. It is left alone; a new one begins.</source>
        <translation>O histórico de trabalhos é de um Headroom mais novo. Ele não é tocado; outro é começado.</translation>
    </message>
    <message>
        <source>The saved value {value} for {name} cannot be used and was dropped.</source>
        <translation>O valor guardado {value} de {name} não pode ser usado e foi descartado.</translation>
    </message>
    <message>
        <source>It acts only while groups are offloaded.</source>
        <translation>Só age com descarga por grupos.</translation>
    </message>
    <message>
        <source>It acts only with offload to disk.</source>
        <translation>Só age com descarga para o disco.</translation>
    </message>
    <message>
        <source>It acts only with fp8 storage.</source>
        <translation>Só age com armazenamento em fp8.</translation>
    </message>
    <message>
        <source>A server decodes: nothing is decoded here.</source>
        <translation>Um servidor decodifica: nada é decodificado aqui.</translation>
    </message>
    <message>
        <source>It acts only while the VAE works in tiles.</source>
        <translation>Só age enquanto o VAE trabalha em blocos.</translation>
    </message>
    <message>
        <source>It acts only with the custom map.</source>
        <translation>Só age com o mapa próprio.</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Carregando o modelo</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Lendo o texto</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Removendo ruído</translation>
    </message>
    <message>
        <source>Decoding the picture</source>
        <translation>Decodificando a imagem</translation>
    </message>
    <message>
        <source>Writing the file</source>
        <translation>Gravando o arquivo</translation>
    </message>
    <message>
        <source>on {device}</source>
        <translation>em {device}</translation>
    </message>
    <message>
        <source>in {rest}, whole on {device} while it works</source>
        <translation>em {rest}, inteira em {device} enquanto trabalha</translation>
    </message>
    <message>
        <source>in {rest}, one layer at a time on {device}</source>
        <translation>em {rest}, uma camada por vez em {device}</translation>
    </message>
    <message>
        <source>in {rest}, in groups of blocks on {device}</source>
        <translation>em {rest}, em grupos de blocos em {device}</translation>
    </message>
    <message>
        <source>in {rest}, in groups of a layer on {device}</source>
        <translation>em {rest}, em grupos de uma camada em {device}</translation>
    </message>
    <message>
        <source>as much as fits on {device}, the rest in {rest}</source>
        <translation>o que cabe em {device}, o resto em {rest}</translation>
    </message>
    <message>
        <source>in main memory</source>
        <translation>na memória principal</translation>
    </message>
    <message>
        <source>in files</source>
        <translation>em arquivos</translation>
    </message>
    <message>
        <source>on the server {address}</source>
        <translation>no servidor {address}</translation>
    </message>
    <message>
        <source>{where}; {format}</source>
        <translation>{where}; {format}</translation>
    </message>
    <message>
        <source>split over the GPUs as they have room</source>
        <translation>dividida entre as GPUs conforme o espaço livre</translation>
    </message>
    <message>
        <source>files</source>
        <translation>arquivos</translation>
    </message>
    <message>
        <source>main memory</source>
        <translation>memória principal</translation>
    </message>
    <message>
        <source>Picture encoder</source>
        <translation>Codificador de imagem</translation>
    </message>
    <message>
        <source>Second denoiser</source>
        <translation>Segundo redutor de ruído</translation>
    </message>
    <message>
        <source>Picture scaler</source>
        <translation>Escalador de imagem</translation>
    </message>
    <message>
        <source>The weights in this file are packed in another way.</source>
        <translation>Os pesos deste arquivo estão compactados de outro modo.</translation>
    </message>
    <message>
        <source>Shapes (built in)</source>
        <translation>Formas (incluído)</translation>
    </message>
    <message>
        <source>The given clip has {given} frames and {asked} are made: its last one stands still for the rest.</source>
        <translation>O clipe dado tem {given} quadros e são feitos {asked}: o último fica parado no resto.</translation>
    </message>
    <message>
        <source>No layer&apos;s name matches it.</source>
        <translation>Nenhum nome de camada corresponde.</translation>
    </message>
    <message>
        <source>The model has no such layers. It has: {known}.</source>
        <translation>O modelo não tem camadas assim. Ele tem: {known}.</translation>
    </message>
    <message>
        <source>{file}: {count} of its {total} layers are not used by this model: {names}</source>
        <translation>{file}: este modelo não usa {count} das suas {total} camadas: {names}</translation>
    </message>
    <message>
        <source>{file} is a {name}, a kind of file that this program does not apply.</source>
        <translation>{file} é um {name}, um tipo de arquivo que este programa não aplica.</translation>
    </message>
    <message>
        <source>{name} takes no LoRA files here.</source>
        <translation>{name} não aceita arquivos LoRA aqui.</translation>
    </message>
    <message>
        <source>{file} holds layers that are not used here, and settings that count for all of them together.</source>
        <translation>{file} contém camadas que não são usadas aqui e ajustes que valem para todas juntas.</translation>
    </message>
    <message>
        <source>It was made for {made}; the model is “{model}” ({family}). 0 of its {total} layers fit.</source>
        <translation>Foi feito para {made}; o modelo é “{model}” ({family}). Servem 0 das suas {total} camadas.</translation>
    </message>
    <message>
        <source>For which model it was made cannot be told; the model is “{model}” ({family}). 0 of its {total} layers fit.</source>
        <translation>Não dá para saber para qual modelo foi feito; o modelo é “{model}” ({family}). Servem 0 das suas {total} camadas.</translation>
    </message>
    <message>
        <source>{misfits} of its {total} layers have another size than those of “{model}” ({family}).</source>
        <translation>{misfits} das suas {total} camadas têm outro tamanho que as de “{model}” ({family}).</translation>
    </message>
    <message>
        <source>Its weights could not be put into “{model}” ({family}).</source>
        <translation>Seus pesos não puderam ser postos em “{model}” ({family}).</translation>
    </message>
    <message>
        <source>The LoRA file was not found.</source>
        <translation>O arquivo LoRA não foi encontrado.</translation>
    </message>
    <message>
        <source>There is no readable file at {path}.</source>
        <translation>Não há arquivo legível em {path}.</translation>
    </message>
    <message>
        <source>Check the path, or take the LoRA out of the list.</source>
        <translation>Confira o caminho ou tire o LoRA da lista.</translation>
    </message>
    <message>
        <source>The LoRA file is damaged.</source>
        <translation>O arquivo LoRA está danificado.</translation>
    </message>
    <message>
        <source>Download or copy the file again.</source>
        <translation>Baixe ou copie o arquivo de novo.</translation>
    </message>
    <message>
        <source>This LoRA file cannot be used.</source>
        <translation>Este arquivo LoRA não pode ser usado.</translation>
    </message>
    <message>
        <source>Take it out of the list, or choose another file.</source>
        <translation>Tire-o da lista ou escolha outro arquivo.</translation>
    </message>
    <message>
        <source>The LoRA file {file} does not fit the model.</source>
        <translation>O arquivo LoRA {file} não serve para o modelo.</translation>
    </message>
    <message>
        <source>Choose the model that it was made for, or take the LoRA out of the list.</source>
        <translation>Escolha o modelo para o qual foi feito ou tire o LoRA da lista.</translation>
    </message>
    <message>
        <source>This model does {tasks}.</source>
        <translation>Este modelo faz {tasks}.</translation>
    </message>
    <message>
        <source>{option} changes nothing here: the task is {task}.</source>
        <translation>{option} não muda nada aqui: a tarefa é {task}.</translation>
    </message>
    <message>
        <source>What an earlier copy left unfinished was removed: {path}</source>
        <translation>Foi removido o que uma cópia anterior deixou inacabado: {path}</translation>
    </message>
</context>
<context>
    <name>demo</name>
    <message>
        <source>One flat shape (circle, square, triangle, star, heart or ring), small or big, in one of ten colours and five places, on a background of another of those colours.</source>
        <translation>Uma figura plana (círculo, quadrado, triângulo, estrela, coração ou anel), pequena ou grande, em uma de dez cores e cinco lugares, sobre um fundo de outra dessas cores.</translation>
    </message>
</context>
</TS>
